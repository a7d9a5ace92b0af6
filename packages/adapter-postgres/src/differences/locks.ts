import type { Sql } from "../database.ts";

/*
 * A write changes the data derived from an alias or a recipient while it holds the lock of that row. So a repair locks the
 * row first, and counts in a later statement, which sees everything that was committed before. It locks in the same order
 * as writes do: an alias before recipients.
 */

export const lockAlias = async (sql: Sql, account: string, id: string): Promise<void> => {
  await sql("SELECT FROM aliases WHERE account = $1 AND id = $2 FOR UPDATE", account, id);
};

export const lockRecipient = async (sql: Sql, account: string, id: string): Promise<void> => {
  await sql("SELECT FROM recipients WHERE account = $1 AND id = $2 FOR UPDATE", account, id);
};

/** How long a repair waits to lock a whole table, in milliseconds: later writes queue up behind it. */
const LOCK_TIMEOUT_MS = 500;

/**
 * Does the work without a trigger that counts from what is stored or forbids changing it. Locks the table until the end of
 * the transaction, so that no other program ever writes without the trigger. Only the owner of the table may do that.
 */
export const withoutTrigger = async <T>(
  sql: Sql,
  table: "aliases" | "addresses",
  trigger: "alias_updated" | "address_stays",
  work: () => Promise<T>,
): Promise<T> => {
  await sql(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await sql(`ALTER TABLE ${table} DISABLE TRIGGER ${trigger}`);
  const result = await work();
  await sql(`ALTER TABLE ${table} ENABLE TRIGGER ${trigger}`);
  return result;
};
