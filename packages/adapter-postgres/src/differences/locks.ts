import type { Place } from "@postern/core/store";
import type { Sql } from "../database.ts";

/**
 * Locks the rows of the alias and the recipient. A write changes the data derived from a row while it holds the lock of that row. A repair
 * locks in the same order as writes do: an alias before recipients.
 */
export const lock = async (sql: Sql, { account, alias, recipient }: Place): Promise<void> => {
  for (const [table, id] of [
    ["aliases", alias],
    ["recipients", recipient],
  ])
    if (id !== null) await sql(`SELECT FROM ${table} WHERE account = $1 AND id = $2 FOR UPDATE`, account, id);
};

/** How long a repair waits to lock a whole table, in milliseconds: later writes queue up behind it. */
const LOCK_TIMEOUT_MS = 500;

/** A trigger that counts from what is stored, or forbids changing it. */
export type Trigger =
  | { readonly table: "aliases"; readonly trigger: "alias_updated" }
  | { readonly table: "addresses"; readonly trigger: "address_stays" };

/**
 * Disables a trigger, before any row is locked. Locks the table until the end of the transaction, so that no other program ever writes
 * without the trigger. Only the owner of the table may do that.
 */
export const disable = async (sql: Sql, { table, trigger }: Trigger): Promise<void> => {
  await sql(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await sql(`ALTER TABLE ${table} DISABLE TRIGGER ${trigger}`);
};

export const enable = async (sql: Sql, { table, trigger }: Trigger): Promise<void> => {
  await sql(`ALTER TABLE ${table} ENABLE TRIGGER ${trigger}`);
};
