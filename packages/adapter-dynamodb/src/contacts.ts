import {
  Alias,
  type AliasDeleted,
  type AliasNotFound,
  type Contact,
  type ContactId,
  type EmailAddress,
  err,
  ok,
  type Result,
  Sender,
  type Unavailable,
} from "@postern/core";
import { type AliasKey, type Contacts, type Met, RecordedContacts } from "@postern/core/store";
import { parseAliasItem } from "./alias-item.ts";
import { parseBlockedSenderLead } from "./blocked-sender-item.ts";
import { unavailable } from "./cause.ts";
import {
  CONTACT_WRITES,
  contactOfLead,
  noteContact,
  parseContactItem,
  parseContactLead,
  putContact,
  saveContact,
} from "./contact-item.ts";
import { makeRoom } from "./contact-limit.ts";
import { type Database, orConflict, query, read, readOne, transact, type Write } from "./database.ts";
import { decode, decodeAll, type StoredItem } from "./item.ts";
import { countAfter, countedFor, type NewlyNamed, newlyNamedIn } from "./newly-named.ts";
import { pageOf } from "./pages.ts";
import { countNewlyNamed, requireAlias, requireLiveAlias } from "./require-alias.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key, KeyRange } from "./table.ts";

const ALL = { matches: () => true };

const isPresent = (item: StoredItem | undefined): item is StoredItem => item !== undefined;

/** The item of the alias, if it exists, the stored contacts with these addresses, and the items at the other keys. */
const readContacts = async (
  database: Database,
  { account, id }: AliasKey,
  emails: readonly EmailAddress[],
  others: readonly Key[],
  signal: AbortSignal,
): Promise<
  Result<
    {
      readonly owner: StoredItem | undefined;
      readonly contacts: readonly Contact[];
      readonly others: readonly StoredItem[];
    },
    Unavailable
  >
> => {
  const keys = emails.map((email) => Key.contact(account, id, email));
  const items = await read(database, [Key.alias(account, id), ...keys, ...others], signal);
  if (items.isErr()) return err(items.error);
  const [owner, ...found] = items.value;
  return decodeAll(database, parseContactItem, found.slice(0, keys.length).filter(isPresent)).map((all) => ({
    owner,
    contacts: all.map(({ contact }) => contact),
    others: found.slice(keys.length).filter(isPresent),
  }));
};

type Found = Omit<Met, "contacts"> & {
  /** The stored contacts with the addresses of those that are recorded. */
  readonly stored: readonly Contact[];
  /** How many contacts the alias has got lately that were only named. */
  readonly newlyNamed: NewlyNamed | null;
};

/** What is stored about a message. `leads` are the keys of the items of blocked senders that cover its author. */
const findStored = async (
  database: Database,
  alias: AliasKey,
  recorded: readonly Contact[],
  leads: readonly Key[],
  signal: AbortSignal,
): Promise<Result<Found, AliasNotFound | AliasDeleted | Unavailable>> => {
  const emails = recorded.map(({ email }) => email);
  const found = await readContacts(database, alias, emails, leads, signal);
  if (found.isErr()) return err(found.error);
  const { owner, contacts: stored, others } = found.value;
  if (owner === undefined) return err({ code: "alias_not_found" });
  const decoded = decode(database, parseAliasItem, owner);
  if (decoded.isErr()) return err(decoded.error);
  const state = Alias.state(decoded.value.alias);
  if (state.deletedAt !== null) return err({ code: "alias_deleted" });
  const blocked = decodeAll(database, parseBlockedSenderLead, others);
  return blocked.map(({ length }) => ({
    alias: state,
    isBlocked: length > 0,
    stored,
    newlyNamed: newlyNamedIn(owner),
  }));
};

/** The ids of new contacts that another contact already has: the new contact's own item was not refused, but the item for its id was. */
const withTakenId = (fresh: readonly Contact[], refused: readonly boolean[]): readonly ContactId[] =>
  fresh.flatMap(({ id }, n) => {
    const [own, , ofId] = refused.slice(n * CONTACT_WRITES);
    return ofId && !own ? [id] : [];
  });

/**
 * Reads what is stored, and writes what is new in one transaction. If that is refused because others have changed it in the
 * meantime, reads again, until the deadline.
 */
const meet =
  (database: Database): Contacts["meet"] =>
  async (alias, { author, correspondents }, { contacts: limit }, timeLeft) => {
    const { table } = database;
    const signal = deadline(database.timeoutMs, timeLeft);
    const recorded = RecordedContacts.of(alias, correspondents);
    const covering = author === null ? [] : Sender.keysOf(author);
    const leads = covering.map((key) => Key.blockedSenderLead(alias.account, key));
    const taken = new Set<ContactId>();
    for (;;) {
      const found = await findStored(database, alias, recorded, leads, signal);
      if (found.isErr()) return err(found.error);
      const { stored, newlyNamed, ...others } = found.value;
      const met = (contacts: readonly Contact[]) =>
        ok({ ...others, contacts: RecordedContacts.result(correspondents, contacts) });
      const { fresh, known, noted } = RecordedContacts.compare(recorded, stored);
      const free = fresh.filter(({ id }) => !taken.has(id));
      const storable = RecordedContacts.withFewNamed(free, countedFor(free, newlyNamed));
      if (storable.length + noted.length === 0) return met(known);

      const room = await makeRoom(database, alias, { fresh: storable, known }, limit, signal);
      if (room.isErr()) {
        if (room.error.code === "unavailable") return err(room.error);
        continue;
      }
      const added = room.value;
      const counted = countAfter(added, newlyNamed);
      const notes = noted.flatMap((after): readonly Write[] => {
        const before = stored.find(({ id }) => id === after.id);
        return before === undefined ? [] : [noteContact(table, before, after)];
      });
      const writes = [...added.flatMap((contact) => putContact(table, contact)), ...notes];
      if (writes.length === 0) return met(known);
      const owner =
        counted === null
          ? requireLiveAlias(table, alias)
          : countNewlyNamed(table, alias, newlyNamed, counted);
      const written = await transact(database, [...writes, owner], signal);
      if (written.isOk()) return met([...known, ...added]);
      if (written.error.code === "unavailable") return err(written.error);
      for (const id of withTakenId(added, written.error.refused)) taken.add(id);
    }
  };

export const dynamoContacts = (database: Database): Contacts => ({
  record: async (alias, correspondents, limits, timeLeft) => {
    const met = await meet(database)(alias, { author: null, correspondents }, limits, timeLeft);
    return met.map(({ contacts }) => contacts);
  },

  meet: meet(database),

  find: async (id, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const lead = await readOne(database, Key.contactId(id), signal);
    if (lead.isErr()) return err(lead.error);
    if (lead.value === undefined) return ok(null);
    const place = decode(database, parseContactLead, lead.value);
    if (place.isErr()) return err(place.error);
    const { account, id: alias } = place.value.alias;
    const items = await read(database, [contactOfLead(place.value), Key.alias(account, alias)], signal);
    if (items.isErr()) return err(items.error);
    const [item, aliasItem] = items.value;
    if (item === undefined || aliasItem === undefined) return ok(null);
    const decoded = decode(database, parseContactItem, item);
    // It may have been evicted and have come back with another id.
    return decoded.map(({ contact }) => (contact.id === id ? contact : null));
  },

  findByEmails: async (alias, emails, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const found = await readContacts(database, alias, emails, [], signal);
    // Contacts left behind by an interrupted erasure do not count.
    return found.map(({ owner, contacts }) => (owner === undefined ? [] : contacts));
  },

  list: async ({ account, id }, request, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const listed = pageOf(
      database,
      parseContactItem,
      KeyRange.contactPositions(account, id),
      request,
      {
        ...ALL,
        follow: async (items) => {
          const places = decodeAll(database, parseContactLead, items);
          if (places.isErr()) return err(places.error);
          const found = await read(database, places.value.map(contactOfLead), signal);
          return found.map((contacts) => contacts.filter((contact) => contact !== undefined));
        },
      },
      signal,
    );
    const [alias, page] = await Promise.all([readOne(database, Key.alias(account, id), signal), listed]);
    if (alias.isErr()) return err(alias.error);
    if (page.isErr()) return err(page.error);
    // Contacts left behind by an interrupted erasure do not count.
    if (alias.value === undefined) return ok({ items: [], next: null });
    const { items, next } = page.value;
    return ok({ items: items.map(({ contact }) => contact), next });
  },

  listOfAccount: async (account, { limit, after }) => {
    const signal = deadline(database.timeoutMs);
    const range = KeyRange.allContacts(account);
    if (after !== null && !after.startsWith(range.prefix))
      return err(unavailable("not a cursor of this store"));
    const start = after === null ? undefined : { pk: range.pk, sk: after };
    const found = await query(database, range, { limit, start }, signal);
    if (found.isErr()) return err(found.error);
    const contacts = decodeAll(database, parseContactItem, found.value.items);
    if (contacts.isErr()) return err(contacts.error);
    const ids = [...new Set(contacts.value.map(({ contact }) => contact.alias))];
    const aliases = await read(
      database,
      ids.map((id) => Key.alias(account, id)),
      signal,
    );
    if (aliases.isErr()) return err(aliases.error);
    const existing = new Set(ids.filter((_, n) => aliases.value[n] !== undefined));
    const items = contacts.value.flatMap(({ contact }) => (existing.has(contact.alias) ? [contact] : []));
    return ok({ items, next: found.value.last?.sk ?? null });
  },

  save: async (before, after, timeLeft) =>
    orConflict(
      await transact(
        database,
        [
          saveContact(database.table, before, after),
          requireLiveAlias(database.table, { account: before.account, id: before.alias }),
        ],
        deadline(database.timeoutMs, timeLeft),
      ),
    ),

  create: async (contact, timeLeft) => {
    const { table, timeoutMs } = database;
    const alias = requireAlias(table, { account: contact.account, id: contact.alias });
    const signal = deadline(timeoutMs, timeLeft);
    const created = await transact(database, [alias, ...putContact(table, contact)], signal);
    if (created.isOk()) return ok();
    if (created.error.code === "unavailable") return err(created.error);
    const [aliasGone, addressTaken, , idInUse] = created.error.refused;
    if (aliasGone) return err({ code: "alias_not_found" });
    return err({ code: addressTaken && !idInUse ? "address_taken" : "conflict" });
  },
});
