import { err, ok } from "@postern/core";
import { type LedgerEntry, type MailLedger, parseLedgerEntry } from "@postern/core/store";
import { type Database, orConflict, query, read, transact, type Write } from "./database.ts";
import { decodeAll, keyedItemParser } from "./item.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key, KeyRange, SCHEMA } from "./table.ts";

const parseEntryItem = keyedItemParser(parseLedgerEntry, ({ key }) => Key.ledgerEntry(key));

/** When DynamoDB may delete the item, in seconds, rounded up. The entry of a suppressed mailbox never expires. */
const expiry = ({ suppressedAt, expiresAt }: LedgerEntry): { readonly expires?: number } =>
  suppressedAt !== null || expiresAt === null ? {} : { expires: Math.ceil(expiresAt / 1000) };

/** Stores an entry, each field as an attribute of the same name. Refused unless the previous version is stored. */
const putEntry = (table: string, entry: LedgerEntry): Write => ({
  Put: {
    TableName: table,
    Item: { ...entry, ...Key.ledgerEntry(entry.key), schema: SCHEMA, ...expiry(entry) },
    ...(entry.version === 1
      ? { ConditionExpression: "attribute_not_exists(pk)" }
      : {
          ConditionExpression: "version = :before",
          ExpressionAttributeValues: { ":before": entry.version - 1 },
        }),
  },
});

export const dynamoMailLedger = (database: Database): MailLedger => ({
  find: async (keys, timeLeft) => {
    const distinct = [...new Set(keys)].map(Key.ledgerEntry);
    const items = await read(database, distinct, deadline(database.timeoutMs, timeLeft));
    if (items.isErr()) return err(items.error);
    const present = items.value.filter((item) => item !== undefined);
    return decodeAll(database, parseEntryItem, present);
  },

  save: async (entries, timeLeft) =>
    orConflict(
      await transact(
        database,
        entries.map((entry) => putEntry(database.table, entry)),
        deadline(database.timeoutMs, timeLeft),
      ),
    ),

  list: async ({ limit, after }) => {
    const signal = deadline(database.timeoutMs);
    const entries: LedgerEntry[] = [];
    let start = after === null ? undefined : Key.ledgerEntry(after);
    const first = KeyRange.ledger.findIndex(({ pk }) => pk === start?.pk);
    for (const range of KeyRange.ledger.slice(Math.max(0, first))) {
      // One entry more than the page holds, to see whether there is a next page.
      const request = { limit: limit + 1 - entries.length, start };
      const found = await query(database, range, request, signal);
      if (found.isErr()) return err(found.error);
      const decoded = decodeAll(database, parseEntryItem, found.value.items);
      if (decoded.isErr()) return err(decoded.error);
      entries.push(...decoded.value);
      // DynamoDB also ends a response at 1 MB; then the page ends there too.
      if (entries.length > limit || found.value.last !== undefined) {
        const items = entries.slice(0, limit);
        return ok({ items, next: items.at(-1)?.key ?? null });
      }
      start = undefined;
    }
    return ok({ items: entries, next: null });
  },
});
