import {
  type AccountId,
  Alias,
  err,
  ok,
  type Recipient,
  type RecipientId,
  type Result,
  type Unavailable,
} from "@postern/core";
import { parseAliasItem, type StoredAlias } from "../alias-item.ts";
import type { Database } from "../database.ts";
import type { StoredItem } from "../item.ts";
import { parseRecipientItem } from "../recipient-item.ts";
import { KeyRange } from "../table.ts";
import type { Counts } from "../usage-item.ts";
import { pagesOf } from "./pages.ts";
import { parsedOrNull } from "./question.ts";

/** What the aliases and recipients of an account add up to. */
export type Count = {
  /** How many live aliases list the recipient. */
  listing(recipient: RecipientId): number;
  readonly aliases: Counts;
  readonly recipients: Counts;
  /** Whether all of them parse. If not, an alias that does not could list any recipient. */
  readonly complete: boolean;
};

/** Counts items one by one. `alias` and `recipient` return what the item is; null if it does not parse. */
export const counter = () => {
  const listing = new Map<RecipientId, number>();
  const [aliases, recipients] = [
    { total: 0, unverified: 0 },
    { total: 0, unverified: 0 },
  ];
  let complete = true;
  const note = <T>(parsed: T | null): T | null => {
    if (parsed === null) complete = false;
    return parsed;
  };
  return {
    alias: (item: StoredItem): StoredAlias | null => {
      aliases.total += 1;
      const stored = note(parsedOrNull(parseAliasItem, item));
      for (const id of stored === null ? [] : Alias.attachedRecipients(stored.alias))
        listing.set(id, (listing.get(id) ?? 0) + 1);
      return stored;
    },
    recipient: (item: StoredItem): Recipient | null => {
      recipients.total += 1;
      // As the store counts them.
      if (item["verifiedAt"] === null) recipients.unverified += 1;
      return note(parsedOrNull(parseRecipientItem, item));
    },
    count: (): Count => ({
      listing: (recipient) => listing.get(recipient) ?? 0,
      aliases,
      recipients,
      complete,
    }),
  };
};

/** Reads and counts all aliases and recipients of the account. */
export const countAccount = async (
  database: Database,
  account: AccountId,
): Promise<Result<Count, Unavailable>> => {
  const { alias, recipient, count } = counter();
  for await (const page of pagesOf(database, KeyRange.recipients(account))) {
    if (page.isErr()) return err(page.error);
    for (const item of page.value) recipient(item);
  }
  for await (const page of pagesOf(database, KeyRange.aliases(account))) {
    if (page.isErr()) return err(page.error);
    for (const item of page.value) alias(item);
  }
  return ok(count());
};
