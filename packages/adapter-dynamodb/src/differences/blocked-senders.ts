import {
  type AccountId,
  type BlockedSender,
  type BlockedSenderId,
  err,
  ok,
  type Result,
  type Unavailable,
} from "@postern/core";
import type { Difference } from "@postern/core/store";
import { leadKey, leadTo, parseBlockedSenderItem, parseBlockedSenderLead } from "../blocked-sender-item.ts";
import { type Database, putNew } from "../database.ts";
import type { StoredItem } from "../item.ts";
import { Key } from "../table.ts";
import { readAll } from "./pages.ts";
import { exists, isAbsent, parsedOrNull, type Question } from "./question.ts";
import { unreadable } from "./unreadable.ts";

type Doubts = Promise<Result<readonly (Question | Difference)[], Unavailable>>;

const leadsTo = (item: StoredItem | undefined): BlockedSenderId | null =>
  parsedOrNull(parseBlockedSenderLead, item);

const isAt = (key: Key, blocked: BlockedSender | null): boolean =>
  blocked !== null && Key.same(leadKey(blocked), key);

/** Whether the blocked sender that the item at `key` leads to exists. */
const blockedSenderOfLead = (table: string, account: AccountId, key: Key, id: BlockedSenderId): Question => {
  const own = Key.blockedSender(account, id);
  return {
    account,
    alias: null,
    recipient: null,
    keys: [key, own],
    judge: ([lead, item]) => {
      const blocked = parsedOrNull(parseBlockedSenderItem, item);
      if (leadsTo(lead) !== id || (item !== undefined && blocked === null)) return null;
      if (isAt(key, blocked)) return null;
      return {
        kind: "blocked-sender",
        stored: "mail is compared with a sender that is not blocked",
        right: "not compared",
        remedy: {
          by: "repair",
          writes: [
            item === undefined ? isAbsent(table, own) : exists(table, own),
            {
              Delete: {
                TableName: table,
                Key: { ...key },
                ConditionExpression: "blockedSender = :id",
                ExpressionAttributeValues: { ":id": id },
              },
            },
          ],
        },
      };
    },
  };
};

/** Whether the item that leads to the blocked sender exists. `found` is what was read at its key before. */
const leadOf = (table: string, blocked: BlockedSender, found: StoredItem | undefined): Question => {
  const { account, id } = blocked;
  const [own, key] = [Key.blockedSender(account, id), leadKey(blocked)];
  const other = leadsTo(found);
  return {
    account,
    alias: null,
    recipient: null,
    keys: [own, key, ...(other === null ? [] : [Key.blockedSender(account, other)])],
    judge: ([item, lead, otherItem]) => {
      if (item === undefined) return null;
      if (lead === undefined) {
        return {
          kind: "blocked-sender",
          stored: "mail is not compared with a blocked sender",
          right: "compared",
          remedy: { by: "repair", writes: [exists(table, own), putNew(table, leadTo(blocked))] },
        };
      }
      // If the other one does not exist, the item that leads to it is wrong, which is reported separately.
      const now = leadsTo(lead);
      if (other === null || now !== other || !isAt(key, parsedOrNull(parseBlockedSenderItem, otherItem)))
        return null;
      return {
        kind: "blocked-sender",
        stored: "a sender that is blocked twice",
        right: "once",
        remedy: {
          by: "repair",
          writes: [
            exists(table, Key.blockedSender(account, other)),
            { Delete: { TableName: table, Key: { ...own } } },
          ],
        },
      };
    },
  };
};

/** Doubts about these items of the account that lead to blocked senders. */
export const blockedSenderLeadDoubts = async (
  database: Database,
  account: AccountId,
  items: readonly StoredItem[],
): Doubts => {
  const leads = items.map((item) => ({ item, id: leadsTo(item) }));
  const found = await readAll(
    database,
    leads.flatMap(({ id }) => (id === null ? [] : [Key.blockedSender(account, id)])),
  );
  if (found.isErr()) return err(found.error);
  let next = 0;
  const doubts: (Question | Difference)[] = [];
  for (const { item, id } of leads) {
    if (id === null) {
      doubts.push(unreadable(account, item));
      continue;
    }
    const blocked = parsedOrNull(parseBlockedSenderItem, found.value[next]);
    next += 1;
    if (!isAt(item, blocked)) doubts.push(blockedSenderOfLead(database.table, account, Key.of(item), id));
  }
  return ok(doubts);
};

/** Doubts about these blocked senders of the account. */
export const blockedSenderDoubts = async (
  database: Database,
  account: AccountId,
  items: readonly StoredItem[],
): Doubts => {
  const parsed = items.map((item) => ({ item, blocked: parsedOrNull(parseBlockedSenderItem, item) }));
  const found = await readAll(
    database,
    parsed.flatMap(({ blocked }) => (blocked === null ? [] : [leadKey(blocked)])),
  );
  if (found.isErr()) return err(found.error);
  let next = 0;
  const doubts: (Question | Difference)[] = [];
  for (const { item, blocked } of parsed) {
    if (blocked === null) {
      doubts.push(unreadable(account, item));
      continue;
    }
    const lead = found.value[next];
    next += 1;
    if (leadsTo(lead) !== blocked.id) doubts.push(leadOf(database.table, blocked, lead));
  }
  return ok(doubts);
};
