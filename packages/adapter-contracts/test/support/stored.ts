import {
  type AccountId,
  type Alias,
  type BlockedSender,
  compareIds,
  type Recipient,
  type Store,
} from "@postern/core";
import { type AliasKey, type Page, type PageRequest, pageOf } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";

/** A page that has everything, in tests. */
export const ALL = { limit: 100, after: null };

export const keyOf = ({ account, id }: { readonly account: string; readonly id: string }): string =>
  JSON.stringify([account, id]);

/** The stored alias, at any version. */
export const storedAlias = async ({ aliases }: Store, { account, id }: AliasKey): Promise<Alias | null> =>
  valueOf(await aliases.findWithRecipients(account, id, [])).alias;

export const recipientsOf = async (
  { recipients }: Store,
  account: AccountId,
): Promise<readonly Recipient[]> => valueOf(await recipients.list(account, ALL)).items;

export const blockedBy = async (
  { blockedSenders }: Store,
  account: AccountId,
): Promise<readonly BlockedSender[]> => valueOf(await blockedSenders.list(account, ALL)).items;

/** The page of these items, newest first. */
export const pageOfAll = <T, Id extends string>(
  all: readonly T[],
  positionOf: (item: T) => Id,
  { limit, after }: PageRequest<Id>,
): Page<T, Id> => {
  const rest = all
    .filter((item) => after === null || compareIds(positionOf(item), after) < 0)
    .toSorted((a, b) => compareIds(positionOf(b), positionOf(a)));
  return pageOf(rest, limit, positionOf);
};
