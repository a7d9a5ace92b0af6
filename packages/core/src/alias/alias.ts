import { err, ok, type Result } from "neverthrow";
import type { AliasDeleted, RecipientsIneligible } from "../errors.ts";
import type { Recipient } from "../recipient/recipient.ts";
import type { EmailAddress } from "../values/email-address.ts";
import type { AccountId, AliasId, RecipientId } from "../values/identifiers.ts";
import { Destinations, type RecipientIds } from "./destinations.ts";
import { AliasRules, MAX_MESSAGES_LEFT, type WantedRules } from "./rules.ts";
import { Tallies } from "./tallies.ts";

/** A forwarding address of an account. Times are in epoch milliseconds. */
export type Alias = {
  readonly id: AliasId;
  readonly account: AccountId;
  /** Never changes; unique across all accounts. */
  readonly email: EmailAddress;
  /** Empty when never set. */
  readonly description: string;
  /** The host of the website that it was made for; empty if none, or unknown. */
  readonly website: string;
  /** Whether the alias is switched on. Even so, it can have ended: see `Alias.accepts`. */
  readonly active: boolean;
  readonly rules: AliasRules;
  /** Never empty. A deleted alias remembers its destinations, but they are no longer attached to it. */
  readonly destinations: Destinations;
  /** Counted by the store; saving an alias never sets them. */
  readonly tallies: Tallies;
  readonly createdAt: number;
  /**
   * When it was last changed. No change has an earlier time than the one before, even if the clock has gone back or another server's clock
   * is ahead: receivers of events rely on it.
   */
  readonly updatedAt: number;
  readonly deletedAt: number | null;
  /** 1 when created, incremented by every save. Counting leaves it unchanged. */
  readonly version: number;
};

/** An alias without its tallies: all that decides about mail. */
export type AliasState = Omit<Alias, "tallies">;

/** The fields that a save writes: all except those that never change and the tallies. */
export type AliasSettings = Omit<AliasState, "id" | "account" | "email" | "createdAt">;

type NewAlias = Pick<Alias, "id" | "account" | "email" | "description"> & Partial<Pick<Alias, "website">>;

const changed = (alias: Alias, change: Partial<Alias>, now: number): Alias => ({
  ...alias,
  ...change,
  updatedAt: Math.max(now, alias.updatedAt),
  version: alias.version + 1,
});

const forwardTo = (alias: Alias, destinations: Destinations, now: number): Alias =>
  Destinations.same(alias.destinations, destinations) ? alias : changed(alias, { destinations }, now);

/*
 * Each function returns the alias to save. If nothing would change, it returns the same object, and there is nothing to
 * save. `found` contains whichever of the recipients involved exist.
 */
export const Alias = {
  create: (
    { website = "", ...identity }: NewAlias,
    ids: RecipientIds,
    found: readonly Recipient[],
    now: number,
  ): Result<Alias, RecipientsIneligible> =>
    Destinations.choose(identity.account, ids, found).map((destinations) => ({
      ...identity,
      website,
      active: true,
      rules: AliasRules.none,
      destinations,
      tallies: Tallies.none,
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
      version: 1,
    })),

  /**
   * The alias with exactly the recipients `ids`, in that order; unchanged if it already has them. Each must be verified, active and in the
   * same account.
   */
  replaceRecipients: (
    alias: Alias,
    ids: RecipientIds,
    found: readonly Recipient[],
    now: number,
  ): Result<Alias, AliasDeleted | RecipientsIneligible> => {
    if (alias.deletedAt !== null) return err({ code: "alias_deleted" });
    return Destinations.choose(alias.account, ids, found).map((destinations) =>
      forwardTo(alias, destinations, now),
    );
  },

  /**
   * Replaces `from` with `to`; if `to` is already attached, only detaches `from`. An alias that is deleted, or that
   * does not have `from` attached, is left unchanged.
   */
  reassign: (
    alias: Alias,
    from: RecipientId,
    to: RecipientId,
    found: readonly Recipient[],
    now: number,
  ): Result<Alias, RecipientsIneligible> => {
    if (!Alias.attachedRecipients(alias).includes(from)) return ok(alias);
    return Destinations.choose(alias.account, [to], found).map(([target]) =>
      forwardTo(alias, Destinations.substitute(alias.destinations, from, target), now),
    );
  },

  /** Switching an alias on, even if it is already on, removes any end that it has reached. */
  change: (
    alias: Alias,
    wanted: { readonly description?: string | undefined; readonly active?: boolean | undefined },
    now: number,
  ): Result<Alias, AliasDeleted> => {
    if (alias.deletedAt !== null) return err({ code: "alias_deleted" });
    const { description = alias.description, active = alias.active } = wanted;
    const rules = wanted.active === true ? AliasRules.withoutPastEnd(alias.rules, now) : alias.rules;
    const same = description === alias.description && active === alias.active && rules === alias.rules;
    return ok(same ? alias : changed(alias, { description, active, rules }, now));
  },

  changeWebsite: (alias: Alias, website: string, now: number): Result<Alias, AliasDeleted> => {
    if (alias.deletedAt !== null) return err({ code: "alias_deleted" });
    return ok(website === alias.website ? alias : changed(alias, { website }, now));
  },

  /** An alias that has ended stays switched off, whatever its new rules say. */
  changeRules: (alias: Alias, wanted: WantedRules, now: number): Result<Alias, AliasDeleted> => {
    if (alias.deletedAt !== null) return err({ code: "alias_deleted" });
    const rules = AliasRules.change(alias.rules, wanted);
    return ok(rules === alias.rules ? alias : changed(alias, { rules }, now));
  },

  /** The alias without its tallies. */
  state: ({ tallies: _, ...state }: Alias): AliasState => state,

  /** Whether the alias accepts mail, unless its account is suspended. */
  accepts: ({ deletedAt, active, rules }: AliasState, now: number): boolean =>
    deletedAt === null && active && !AliasRules.isOver(rules, now),

  /** The alias after accepting a message: the last one switches it off. Null if it accepts none. */
  takeMessage: (alias: Alias, now: number): Alias | null => {
    if (!Alias.accepts(alias, now)) return null;
    const { messagesLeft } = alias.rules;
    if (messagesLeft === null) return alias;
    const rules = { ...alias.rules, messagesLeft: messagesLeft - 1 };
    return changed(alias, { rules, active: rules.messagesLeft > 0 }, now);
  },

  /** The alias after a message that it accepted could not be stored. If that was the last one, the alias is switched on again. */
  giveMessageBack: (alias: Alias, now: number): Alias => {
    const { messagesLeft } = alias.rules;
    if (alias.deletedAt !== null || messagesLeft === null || messagesLeft >= MAX_MESSAGES_LEFT) return alias;
    const rules = { ...alias.rules, messagesLeft: messagesLeft + 1 };
    return changed(alias, { rules, active: alias.active || messagesLeft === 0 }, now);
  },

  /** The alias, switched off if its `activeUntil` has passed. */
  end: (alias: Alias, now: number): Alias =>
    alias.deletedAt === null && alias.active && AliasRules.isOver(alias.rules, now)
      ? changed(alias, { active: false }, now)
      : alias,

  /** A deleted alias stays deleted and keeps the time of its first deletion. */
  delete: (alias: Alias, now: number): Alias =>
    alias.deletedAt === null ? changed(alias, { deletedAt: now }, now) : alias,

  /** The alias, no longer deleted, with exactly the recipients `ids`, in that order. */
  restore: (
    alias: Alias,
    ids: RecipientIds,
    found: readonly Recipient[],
    now: number,
  ): Result<Alias, RecipientsIneligible> =>
    Destinations.choose(alias.account, ids, found).map((destinations) =>
      alias.deletedAt === null
        ? forwardTo(alias, destinations, now)
        : changed(alias, { destinations, deletedAt: null }, now),
    ),

  /**
   * The recipients attached to the alias, which cannot be deactivated or deleted while attached. A deleted alias has
   * none.
   */
  attachedRecipients: (alias: Alias): readonly RecipientId[] =>
    alias.deletedAt === null ? Destinations.recipientIds(alias.destinations) : [],
};

/** The ids that are not among the others. */
const without = (ids: readonly RecipientId[], others: readonly RecipientId[]): readonly RecipientId[] => {
  const excluded = new Set(others);
  return ids.filter((id) => !excluded.has(id));
};

/**
 * Which recipients to attach and detach when `after` replaces `before` (null for a new alias). Stores apply exactly
 * this; see `Aliases.save`.
 */
export const attachments = (
  before: Alias | null,
  after: Alias,
): { readonly attached: readonly RecipientId[]; readonly detached: readonly RecipientId[] } => {
  const was = before === null ? [] : Alias.attachedRecipients(before);
  const is = Alias.attachedRecipients(after);
  return { attached: without(is, was), detached: without(was, is) };
};
