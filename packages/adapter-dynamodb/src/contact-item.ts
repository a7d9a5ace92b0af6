import { Contact, type EmailAddress, parseAccountId, parseAliasId, parseEmailAddress } from "@postern/core";
import { type AliasKey, type ContactPosition, parseContact } from "@postern/core/store";
import { putNew, type Write } from "./database.ts";
import { itemParser, keyedItemParser } from "./item.ts";
import { Key, SCHEMA } from "./table.ts";

/*
 * A contact is an item whose key is made from its alias and its address. Two other items lead to it: one in the order of its
 * alias's list, and one for its id, in a partition of its own. The three are created and deleted together, and never change except
 * for the settings and the times in the first one.
 */

/** A contact as stored in its item. `id` is the position after which its list continues. */
export type StoredContact = { readonly id: ContactPosition; readonly contact: Contact };

const keyOf = ({ account, alias, email }: Contact): Key => Key.contact(account, alias, email);

const positionKey = (contact: Contact): Key =>
  Key.contactPosition(contact.account, contact.alias, Contact.position(contact));

/** The keys of the contact's items: its own one first. */
export const contactKeys = (contact: Contact): readonly [own: Key, position: Key, id: Key] => [
  keyOf(contact),
  positionKey(contact),
  Key.contactId(contact.id),
];

export const parseContactItem = keyedItemParser<StoredContact>(
  (item) => parseContact(item).map((contact) => ({ id: Contact.position(contact), contact })),
  ({ contact }) => keyOf(contact),
);

/** Where the contact that an item leads to is stored. */
export type ContactPlace = { readonly alias: AliasKey; readonly email: EmailAddress };

export const parseContactLead = itemParser<ContactPlace>((item) =>
  parseAccountId(item["account"]).andThen((account) =>
    parseAliasId(item["alias"]).andThen((id) =>
      parseEmailAddress(item["email"]).map((email) => ({ alias: { account, id }, email })),
    ),
  ),
);

export const contactOfLead = ({ alias: { account, id }, email }: ContactPlace): Key =>
  Key.contact(account, id, email);

const lead = (key: Key, { account, alias, email }: Contact) => ({
  ...key,
  schema: SCHEMA,
  account,
  alias,
  email,
});

/** The items that lead to the contact: by its position, and by its id. */
export const leadsTo = (contact: Contact) =>
  [lead(positionKey(contact), contact), lead(Key.contactId(contact.id), contact)] as const;

/** Stores a new contact: three writes. The first is refused if the alias has one with this address, the third if its id is in use. */
export const putContact = (table: string, contact: Contact): readonly [Write, Write, Write] => {
  const [byPosition, byId] = leadsTo(contact);
  return [
    putNew(table, { ...contact, ...keyOf(contact), schema: SCHEMA }),
    putNew(table, byPosition),
    putNew(table, byId),
  ];
};

/** How many writes it takes to store or delete a contact. */
export const CONTACT_WRITES = 3;

export const deleteContact = (table: string, contact: Contact): readonly Write[] =>
  contactKeys(contact).map(({ pk, sk }) => ({ Delete: { TableName: table, Key: { pk, sk } } }));

/** Evicts a contact; refused if it has been used or changed since it was read. */
export const deleteUnused = (table: string, contact: Contact): readonly Write[] => {
  const [own, ...leads] = deleteContact(table, contact);
  return [
    {
      Delete: {
        TableName: table,
        Key: { ...keyOf(contact) },
        ConditionExpression: `version = :version AND lastReceivedAt = :received AND attribute_type(addedAt, :null) AND attribute_type(lastSentAt, :null)${contact.onlyNamed ? " AND onlyNamed = :named" : ""}`,
        ExpressionAttributeValues: {
          ...(contact.onlyNamed && { ":named": true }),
          ":version": contact.version,
          ":received": contact.lastReceivedAt,
          ":null": "NULL",
        },
      },
    },
    ...(own === undefined ? [] : leads),
  ];
};

/**
 * Writes how a contact was used; refused if its times have changed since it was read as `before`, or if it is gone. Never writes that it was
 * only named, because it may have written in the meantime.
 */
export const noteContact = (table: string, before: Contact, after: Contact): Write => ({
  Update: {
    TableName: table,
    Key: { ...keyOf(after) },
    UpdateExpression: `SET addedAt = :added, lastReceivedAt = :received, lastSentAt = :sent${after.onlyNamed ? "" : ", onlyNamed = :named"}`,
    ConditionExpression:
      "id = :id AND addedAt = :addedBefore AND lastReceivedAt = :receivedBefore AND lastSentAt = :sentBefore",
    ExpressionAttributeValues: {
      ":id": before.id,
      ":added": after.addedAt,
      ":received": after.lastReceivedAt,
      ...(!after.onlyNamed && { ":named": false }),
      ":sent": after.lastSentAt,
      ":addedBefore": before.addedAt,
      ":receivedBefore": before.lastReceivedAt,
      ":sentBefore": before.lastSentAt,
    },
  },
});

/** Writes the settings of a contact; refused unless the version of `before` is stored. */
export const saveContact = (table: string, before: Contact, { blocking, version }: Contact): Write => ({
  Update: {
    TableName: table,
    Key: { ...keyOf(before) },
    UpdateExpression: "SET blocking = :blocking, version = :version",
    ConditionExpression: "id = :id AND version = :before",
    ExpressionAttributeValues: {
      ":id": before.id,
      ":blocking": blocking,
      ":version": version,
      ":before": before.version,
    },
  },
});
