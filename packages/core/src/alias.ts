import { err, type Result } from "neverthrow";
import { Destinations, type RecipientIds } from "./destinations.ts";
import type { EmailAddress } from "./email-address.ts";
import type { AliasDeleted, RecipientsIneligible } from "./errors.ts";
import type { AccountId, AliasId, RecipientId } from "./identifiers.ts";
import { Tallies } from "./mail-outcome.ts";
import type { Recipient } from "./recipient.ts";

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

  /**
   * The alias with exactly the recipients `ids`, in that order (specification, section 4, rules 1 to 3).
   * `found` are the recipients that exist among them. When nothing would change, the same alias comes back
   * and there is nothing to save.
   */
  replaceRecipients: (
    alias: Alias,
    ids: RecipientIds,
    found: readonly Recipient[],
    now: number,
  ): Result<Alias, AliasDeleted | RecipientsIneligible> => {
    if (alias.deletedAt !== null) return err({ code: "alias_deleted" });
    return Destinations.choose(alias.account, ids, found).map((destinations) =>
      Destinations.same(alias.destinations, destinations)
        ? alias
        : { ...alias, destinations, updatedAt: now, version: alias.version + 1 },
    );
  },

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
