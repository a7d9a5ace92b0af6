import { err, ok, type Result } from "neverthrow";
import type { AliasDeleted, RecipientsIneligible } from "../errors.ts";
import type { Recipient } from "../recipient/recipient.ts";
import type { EmailAddress } from "../values/email-address.ts";
import type { AccountId, AliasId, RecipientId } from "../values/identifiers.ts";
import { Destinations, type RecipientIds } from "./destinations.ts";
import { Tallies } from "./tallies.ts";

/** A forwarding address (specification, section 2). Times are epoch milliseconds. */
export type Alias = {
  readonly id: AliasId;
  readonly account: AccountId;
  /** Never changes; unique over all accounts. */
  readonly email: EmailAddress;
  /** Empty when never set. */
  readonly description: string;
  /** Whether the alias currently accepts mail. */
  readonly active: boolean;
  /** Never empty. A deleted alias remembers its destinations without holding on to them. */
  readonly destinations: Destinations;
  /** The store counts; saving an alias never sets them. */
  readonly tallies: Tallies;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deletedAt: number | null;
  /** 1 when created, one more with every save. Tallies leave it alone. */
  readonly version: number;
};

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
 * Each function gives what the alias would be, to be saved. When nothing would change it gives the very alias
 * it was given, and there is nothing to save. `found` are the recipients that exist among those it is about.
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
   * The alias with `to` in the place of `from`, or without `from` where `to` is there already. An alias that is
   * deleted or does not forward to `from` is left as it is.
   */
  reassign: (
    alias: Alias,
    from: RecipientId,
    to: RecipientId,
    found: readonly Recipient[],
    now: number,
  ): Result<Alias, RecipientsIneligible> => {
    if (!Alias.holds(alias).includes(from)) return ok(alias);
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

  /** Deleted stays deleted, at the time it first was. */
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

  /** The recipients that the alias keeps from being deactivated or deleted: a deleted alias lets go of its own. */
  holds: (alias: Alias): readonly RecipientId[] =>
    alias.deletedAt === null ? alias.destinations.map(({ recipientId }) => recipientId) : [],
};

/** Who is newly held, and who let go, when `after` takes the place of `before` (null: there was no alias). */
export const attachments = (
  before: Alias | null,
  after: Alias,
): { readonly attached: readonly RecipientId[]; readonly detached: readonly RecipientId[] } => {
  const held = new Set(before === null ? [] : Alias.holds(before));
  const holds = new Set(Alias.holds(after));
  return {
    attached: [...holds].filter((id) => !held.has(id)),
    detached: [...held].filter((id) => !holds.has(id)),
  };
};
