import { type Contact, err, ok, type Result, type Unavailable } from "@postern/core";
import type { Difference } from "@postern/core/store";
import { parseAliasItem } from "../alias-item.ts";
import {
  contactKeys,
  contactOfLead,
  deleteContact,
  leadsTo,
  parseContactItem,
  parseContactLead,
} from "../contact-item.ts";
import { type Database, putNew } from "../database.ts";
import type { StoredItem } from "../item.ts";
import { Key } from "../table.ts";
import { readAll } from "./pages.ts";
import { exists, isAbsent, parsedOrNull, type Question } from "./question.ts";
import { unreadable } from "./unreadable.ts";

const contactOf = (item: StoredItem | undefined): Contact | null =>
  parsedOrNull(parseContactItem, item)?.contact ?? null;

/** Whether the item leads to the contact. */
const leads = (item: StoredItem | undefined, contact: Contact): boolean => {
  const place = parsedOrNull(parseContactLead, item);
  return place !== null && Key.same(contactOfLead(place), contactKeys(contact)[0]);
};

/** Whether the alias of the contact exists, and both items that should lead to the contact do. */
const itemsOfContact = (table: string, contact: Contact): Question => {
  const { account, alias } = contact;
  const [own, position, id] = contactKeys(contact);
  const ofAlias = Key.alias(account, alias);
  return {
    account,
    alias,
    recipient: null,
    keys: [own, ofAlias, position, id],
    judge: ([item, aliasItem, atPosition, atId]) => {
      const now = contactOf(item);
      // It may have been evicted, and have come back.
      if (now === null || !Key.same(Key.contactId(now.id), id)) return null;
      if (aliasItem === undefined) {
        return {
          kind: "leftover",
          stored: "a contact",
          right: "none without an alias",
          remedy: { by: "repair", writes: [isAbsent(table, ofAlias), ...deleteContact(table, now)] },
        };
      }
      if (atId !== undefined && !leads(atId, now)) {
        return {
          kind: "contact",
          stored: "a contact with an id that leads to another one",
          right: "each contact has its own id",
          remedy: { by: "operator", action: "delete the contact that should not have it", detach: null },
        };
      }
      const found = [atPosition, atId];
      const missing = leadsTo(now).filter((_, n) => found[n] === undefined);
      if (missing.length === 0) return null;
      return {
        kind: "contact",
        stored: `${2 - missing.length} of 2 items lead to a contact`,
        right: "both",
        remedy: {
          by: "repair",
          writes: [exists(table, own), ...missing.map((lead) => putNew(table, lead))],
        },
      };
    },
  };
};

/** Whether the contact that the item at `key` leads to exists. */
const contactOfItem = (table: string, key: Key, found: StoredItem): Question | null => {
  const place = parsedOrNull(parseContactLead, found);
  if (place === null) return null;
  const own = contactOfLead(place);
  return {
    account: place.alias.account,
    alias: place.alias.id,
    recipient: null,
    keys: [key, own],
    judge: ([lead, item]) => {
      const contact = contactOf(item);
      if (lead === undefined || (item !== undefined && contact === null)) return null;
      if (contact !== null && contactKeys(contact).some((each) => Key.same(each, key))) return null;
      return {
        kind: "leftover",
        stored: "an item that leads to a contact",
        right: "none without the contact",
        remedy: {
          by: "repair",
          writes: [
            item === undefined ? isAbsent(table, own) : exists(table, own),
            { Delete: { TableName: table, Key: { pk: key.pk, sk: key.sk } } },
          ],
        },
      };
    },
  };
};

type Doubts = Promise<Result<readonly (Question | Difference)[], Unavailable>>;

/** Doubts about these contacts. */
export const contactDoubts = async (database: Database, items: readonly StoredItem[]): Doubts => {
  const contacts = items.map(contactOf);
  const keys = contacts.flatMap((contact) =>
    contact === null ? [] : [Key.alias(contact.account, contact.alias), ...contactKeys(contact).slice(1)],
  );
  const found = await readAll(database, keys);
  if (found.isErr()) return err(found.error);
  let next = 0;
  const doubts: (Question | Difference)[] = [];
  for (const [n, item] of items.entries()) {
    const contact = contacts[n] ?? null;
    if (contact === null) {
      doubts.push(unreadable(null, item));
      continue;
    }
    const [alias, position, id] = found.value.slice(next, next + 3);
    next += 3;
    const isRight =
      parsedOrNull(parseAliasItem, alias) !== null && leads(position, contact) && leads(id, contact);
    if (!isRight) doubts.push(itemsOfContact(database.table, contact));
  }
  return ok(doubts);
};

/** Doubts about these items that lead to contacts. */
export const leadDoubts = async (database: Database, items: readonly StoredItem[]): Doubts => {
  const places = items.map((item) => parsedOrNull(parseContactLead, item));
  const keys = places.flatMap((place) => (place === null ? [] : [contactOfLead(place)]));
  const found = await readAll(database, keys);
  if (found.isErr()) return err(found.error);
  let next = 0;
  const doubts: (Question | Difference)[] = [];
  for (const [n, item] of items.entries()) {
    if (places[n] === null) {
      doubts.push(unreadable(null, item));
      continue;
    }
    const contact = contactOf(found.value[next]);
    next += 1;
    const isRight = contact !== null && contactKeys(contact).some((key) => Key.same(key, item));
    const question = isRight ? null : contactOfItem(database.table, Key.of(item), item);
    if (question !== null) doubts.push(question);
  }
  return ok(doubts);
};
