import { err, ok, type Result, type Unavailable } from "@postern/core";
import type { AliasKey } from "@postern/core/store";
import { CONTACT_WRITES, deleteContact, parseContactItem } from "./contact-item.ts";
import { type Database, MAX_WRITES, query, transact, type Write } from "./database.ts";
import { decodeAll } from "./item.ts";
import type { Refused } from "./send-until-deadline.ts";
import { KeyRange } from "./table.ts";

/** How many contacts fit into a transaction with one condition. */
export const CONTACTS_AT_ONCE = Math.floor((MAX_WRITES - 1) / CONTACT_WRITES);

/** Deletes the contacts of the alias in batches, as long as the conditions (at most one) hold. */
export const deleteContacts = async (
  database: Database,
  { account, id }: AliasKey,
  conditions: readonly Write[],
  signal: AbortSignal,
): Promise<Result<void, Refused | Unavailable>> => {
  const range = KeyRange.contacts(account, id);
  for (;;) {
    const found = await query(database, range, { limit: CONTACTS_AT_ONCE }, signal);
    if (found.isErr()) return err(found.error);
    const contacts = decodeAll(database, parseContactItem, found.value.items);
    if (contacts.isErr()) return err(contacts.error);
    if (contacts.value.length === 0) return ok();
    const writes = contacts.value.flatMap(({ contact }) => deleteContact(database.table, contact));
    const deleted = await transact(database, [...conditions, ...writes], signal);
    if (deleted.isErr()) return err(deleted.error);
    if (found.value.last === undefined) return ok();
  }
};
