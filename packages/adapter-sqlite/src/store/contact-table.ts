import type { Contact } from "@postern/core";
import { type ContactSettings, parseContact } from "@postern/core/store";
import { type Row, stored } from "../file/row.ts";
import { type Columns, table } from "./table.ts";

/** What only recordings write. */
type Use = "addedAt" | "onlyNamed" | "lastReceivedAt" | "lastSentAt";

const use = {
  addedAt: ["added_at", (contact) => contact.addedAt],
  onlyNamed: ["only_named", (contact) => Number(contact.onlyNamed)],
  lastReceivedAt: ["last_received_at", (contact) => contact.lastReceivedAt],
  lastSentAt: ["last_sent_at", (contact) => contact.lastSentAt],
} satisfies Columns<Contact, Use>;

const identity = {
  id: ["id", (contact) => contact.id],
  account: ["account", (contact) => contact.account],
  alias: ["alias_id", (contact) => contact.alias],
  email: ["email", (contact) => contact.email],
  createdAt: ["created_at", (contact) => contact.createdAt],
  ...use,
} satisfies Columns<Contact, Exclude<keyof Contact, keyof ContactSettings>>;

const settings = {
  blocking: ["blocking", (contact) => contact.blocking],
  version: ["version", (contact) => contact.version],
} satisfies Columns<Contact, keyof ContactSettings>;

export const contactTable = table<Contact>("contacts", identity, settings);

/** Writes how a contact was used. */
export const NOTE = `
  UPDATE contacts SET ${Object.values(use)
    .map(([column]) => `${column} = :${column}`)
    .join(", ")}
  WHERE id = :id`;

export const noted = (contact: Contact) => ({
  id: contact.id,
  ...Object.fromEntries(Object.values(use).map(([column, value]) => [column, value(contact)])),
});

/** `row` has all columns of `contacts`. */
export const contactOf = (row: Row): Contact =>
  stored("contacts", () =>
    parseContact({
      id: row["id"],
      account: row["account"],
      alias: row["alias_id"],
      email: row["email"],
      blocking: row["blocking"],
      createdAt: row["created_at"],
      addedAt: row["added_at"],
      onlyNamed: row["only_named"] === 1,
      lastReceivedAt: row["last_received_at"],
      lastSentAt: row["last_sent_at"],
      version: row["version"],
    } satisfies Record<keyof Contact, unknown>),
  );
