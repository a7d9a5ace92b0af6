import { createHash } from "node:crypto";
import { type Contact, err, ok, type Result, type Unavailable } from "@postern/core";
import { type AliasKey, RecordedContacts } from "@postern/core/store";
import { deleteUnused, parseContactItem } from "./contact-item.ts";
import { countItems, type Database, query, transact } from "./database.ts";
import { CONTACTS_AT_ONCE } from "./delete-contacts.ts";
import { decodeAll } from "./item.ts";
import type { Refused } from "./send-until-deadline.ts";
import { type Key, KeyRange } from "./table.ts";

/*
 * An alias has no count of its contacts: every new contact would write it, and many at the same time would get in each other's
 * way. So contacts are counted by reading them every now and then, and any excess is evicted. Decision 10 says by how much an
 * alias can exceed its limit.
 */

/** Up to this limit, contacts are counted whenever a new one is recorded; above it, only often enough to keep the cost of one the same. */
const COUNTED_EACH_TIME = 64;

/** The maximum number of contacts that one call evicts: ten transactions. If there are more, later calls continue. */
const MAX_EVICTED = 10 * CONTACTS_AT_ONCE;

/** How many contacts one request reads. */
const PAGE = 1_000;

const isOneIn = (share: number, { id }: Contact): boolean =>
  Number.parseInt(createHash("sha256").update(id).digest("hex").slice(0, 8), 16) % share === 0;

/** Whether to count the contacts of the alias before these are added. Contacts added by its owner always cause a count. */
const isCountDue = (fresh: readonly Contact[], limit: number): boolean => {
  const share = Math.ceil(limit / COUNTED_EACH_TIME);
  return fresh.some((contact) => contact.addedAt !== null || isOneIn(share, contact));
};

/** Counts contacts of the alias; not all of them if there are more than `enough`. */
const count = async (
  database: Database,
  { account, id }: AliasKey,
  enough: number,
  signal: AbortSignal,
): Promise<Result<number, Unavailable>> => {
  const filter = { expression: "attribute_exists(email)", values: {} };
  let [counted, start]: [number, Key | undefined] = [0, undefined];
  do {
    const request = { limit: undefined, start, filter };
    const page = await countItems(database, KeyRange.contactPositions(account, id), request, signal);
    if (page.isErr()) return err(page.error);
    counted += page.value.examined;
    start = page.value.last;
  } while (start !== undefined && counted <= enough);
  return ok(counted);
};

const readAll = async (
  database: Database,
  { account, id }: AliasKey,
  signal: AbortSignal,
): Promise<Result<readonly Contact[], Unavailable>> => {
  const all: Contact[] = [];
  let start: Key | undefined;
  do {
    const page = await query(database, KeyRange.contacts(account, id), { limit: PAGE, start }, signal);
    if (page.isErr()) return err(page.error);
    const decoded = decodeAll(database, parseContactItem, page.value.items);
    if (decoded.isErr()) return err(decoded.error);
    all.push(...decoded.value.map(({ contact }) => contact));
    start = page.value.last;
  } while (start !== undefined);
  return ok(all);
};

/**
 * Makes room for new contacts of the alias, if there is a limit and it is time to count. Returns those that there is room for.
 * Refused if a contact to evict has just been used: then it is no longer known which have been unused for longest.
 */
export const makeRoom = async (
  database: Database,
  alias: AliasKey,
  { fresh, known }: { readonly fresh: readonly Contact[]; readonly known: readonly Contact[] },
  limit: number,
  signal: AbortSignal,
): Promise<Result<readonly Contact[], Refused | Unavailable>> => {
  if (limit === 0 || fresh.length === 0 || !isCountDue(fresh, limit)) return ok(fresh);
  const counted = await count(database, alias, limit - fresh.length, signal);
  if (counted.isErr()) return err(counted.error);
  if (counted.value + fresh.length <= limit) return ok(fresh);

  const all = await readAll(database, alias, signal);
  if (all.isErr()) return err(all.error);
  const keys = new Set(known.map(({ id }) => id));
  const excess = all.value.length + fresh.length - limit;
  const others = all.value.filter(({ id }) => !keys.has(id));
  const { added, leaving } = RecordedContacts.makeRoom(fresh, others, excess);
  for (let n = 0; n < Math.min(leaving.length, MAX_EVICTED); n += CONTACTS_AT_ONCE) {
    const some = leaving.slice(n, n + CONTACTS_AT_ONCE);
    const writes = some.flatMap((contact) => deleteUnused(database.table, contact));
    const deleted = await transact(database, writes, signal);
    if (deleted.isErr()) return err(deleted.error);
  }
  return ok(added);
};
