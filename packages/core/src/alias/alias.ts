import { err, ok, type Result } from "neverthrow";
import type { AliasDeleted, RecipientsIneligible } from "../errors.ts";
import type { Recipient } from "../recipient/recipient.ts";
import type { EmailAddress } from "../values/email-address.ts";
import type { AccountId, AliasId, RecipientId } from "../values/identifiers.ts";
import { Destinations, type RecipientIds } from "./destinations.ts";
import { Tallies } from "./tallies.ts";

/** A forwarding address (specification, section 2). Times are in epoch milliseconds. */
export type Alias = {
  readonly id: AliasId;
  readonly account: AccountId;
  /** Never changes; unique across all accounts. */
  readonly email: EmailAddress;
  /** Empty when never set. */
  readonly description: string;
  /** Whether the alias currently accepts mail. */
  readonly active: boolean;
  /** Never empty. A deleted alias remembers its destinations, but they are no longer attached to it. */
  readonly destinations: Destinations;
  /** Counted by the store; saving an alias never sets them. */
  readonly tallies: Tallies;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deletedAt: number | null;
  /** 1 when created, incremented by every save. Counting leaves it unchanged. */
  readonly version: number;
};

/** The fields that a save writes: all except those that never change and the tallies. */
export type AliasSettings = Omit<Alias, "id" | "account" | "email" | "createdAt" | "tallies">;

type NewAlias = Pick<Alias, "id" | "account" | "email" | "description">;

const changed = (alias: Alias, change: Partial<Alias>, now: number): Alias => ({
  ...alias,
  ...change,
  updatedAt: now,
  version: alias.version + 1,
});

const forwardTo = (alias: Alias, destinations: Destinations, now: number): Alias =>
  Destinations.same(alias.destinations, destinations) ? alias : changed(alias, { destinations }, now);

/*
 * Each function returns the alias to be saved. If nothing would change it returns the same object, and there is nothing
 * to save. `found` are those of the recipients concerned that exist.
 */
export const Alias = {
  create: (
    identity: NewAlias,
    ids: RecipientIds,
    found: readonly Recipient[],
    now: number,
  ): Result<Alias, RecipientsIneligible> =>
    Destinations.choose(identity.account, ids, found).map((destinations) => ({
      ...identity,
      active: true,
      destinations,
      tallies: Tallies.none,
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
      version: 1,
    })),

  /** The alias with exactly the recipients `ids`, in that order (specification, section 4, rules 1 to 3). */
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

  change: (
    alias: Alias,
    wanted: { readonly description?: string | undefined; readonly active?: boolean | undefined },
    now: number,
  ): Result<Alias, AliasDeleted> => {
    if (alias.deletedAt !== null) return err({ code: "alias_deleted" });
    const { description = alias.description, active = alias.active } = wanted;
    const same = description === alias.description && active === alias.active;
    return ok(same ? alias : changed(alias, { description, active }, now));
  },

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

/** Those ids that are not among the others. */
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
