import { Alias, ok } from "@postern/core";
import type { Aliases } from "@postern/core/store";
import type { AliasKey } from "./address-item.ts";
import { attachmentWrites } from "./attachment-writes.ts";
import { type Database, MAX_WRITES, orConflict, query, transact } from "./database.ts";
import { deleteContacts } from "./delete-contacts.ts";
import { deleteMessages } from "./delete-messages.ts";
import { requireAlias } from "./require-alias.ts";
import { retire } from "./retired-addresses.ts";
import { deleteSearchItems } from "./search-items.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key, KeyRange } from "./table.ts";
import { deleteTallies } from "./tally-item.ts";
import { Counted, changeCounted } from "./usage.ts";

/** 500 events in all. Deleting them takes 1,000 write units, the capacity of one partition for one second. */
const MAX_EVENT_TRANSACTIONS = 5;

/**
 * Deletes events of an erased alias, for which no new ones can be counted. Any that remain, because there are more than
 * 500 or the deadline has passed, expire.
 */
const deleteEvents = async (
  database: Database,
  { account, id }: AliasKey,
  signal: AbortSignal,
): Promise<void> => {
  const range = KeyRange.events(account, id);
  for (let transactions = 0; transactions < MAX_EVENT_TRANSACTIONS; transactions += 1) {
    const found = await query(database, range, { limit: MAX_WRITES }, signal);
    if (found.isErr() || found.value.items.length === 0) return;
    const deletions = found.value.items.map(({ pk, sk }) => ({
      Delete: { TableName: database.table, Key: { pk, sk } },
    }));
    const deleted = await transact(database, deletions, signal);
    if (deleted.isErr() || found.value.last === undefined) return;
  }
};

/**
 * First deletes the contacts and the log, which can be too large for one transaction: a call that ends early leaves the alias, and the
 * next one continues. Then erases the alias in one transaction. Its events are only deleted afterwards, because the erasure might be
 * refused.
 */
export const eraseAlias =
  (database: Database): Aliases["erase"] =>
  async (alias, timeLeft) => {
    const { table, timeoutMs } = database;
    const { account, id, email, version } = alias;
    const signal = deadline(timeoutMs, timeLeft);
    const current = [requireAlias(table, alias, version)];
    for (const deleteAll of [deleteContacts, deleteMessages]) {
      const deleted = await deleteAll(database, alias, current, signal);
      if (deleted.isErr()) return orConflict(deleted);
    }
    const erased = await changeCounted(
      database,
      Counted.aliases(account),
      { total: -1, unverified: 0 },
      [
        {
          Delete: {
            TableName: table,
            Key: { ...Key.alias(account, id) },
            ConditionExpression: "version = :version",
            ExpressionAttributeValues: { ":version": version },
          },
        },
        ...retire(table, email, {
          ConditionExpression: "account = :account AND id = :id",
          ExpressionAttributeValues: { ":account": account, ":id": id },
        }),
        ...deleteTallies(table, alias),
        ...deleteSearchItems(table, alias),
        ...attachmentWrites(table, alias, { attached: [], detached: Alias.attachedRecipients(alias) }),
      ],
      signal,
    );
    if (erased.isErr()) return orConflict(erased);
    // Deletes items that were added between the deletion of the others and the erasure. Nothing finds any that remain. A repair
    // removes them, and messages expire.
    await deleteContacts(database, alias, [], signal);
    await deleteMessages(database, alias, [], signal);
    await deleteEvents(database, alias, signal);
    return ok();
  };
