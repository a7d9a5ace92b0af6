import type { Contact } from "@postern/core";
import { type ContactSettings, parseContact } from "@postern/core/store";
import { type Columns, fieldsOf } from "./columns.ts";
import { stored } from "./row.ts";

const identity = {
  account: ["account", (contact) => contact.account],
  id: ["id", (contact) => contact.id],
  alias: ["alias_id", (contact) => contact.alias],
  email: ["email", (contact) => contact.email],
  createdAt: ["created_at", (contact) => contact.createdAt],
  addedAt: ["added_at", (contact) => contact.addedAt],
  onlyNamed: ["only_named", (contact) => contact.onlyNamed],
  lastReceivedAt: ["last_received_at", (contact) => contact.lastReceivedAt],
  lastSentAt: ["last_sent_at", (contact) => contact.lastSentAt],
} satisfies Columns<Contact, Exclude<keyof Contact, keyof ContactSettings>>;

/** The columns that a save writes. */
export const settingColumns = {
  blocking: ["blocking", (contact) => contact.blocking],
  version: ["version", (contact) => contact.version],
} satisfies Columns<Contact, keyof ContactSettings>;

/** The columns that a creation writes. */
export const contactColumns = { ...identity, ...settingColumns };

/** The JSON that `contactOf` needs, from `contacts AS c`. */
export const CONTACT = `json_build_object(${fieldsOf(contactColumns, "c")})`;

/** @throws DamagedRow */
export const contactOf = (data: unknown): Contact => stored("contacts", parseContact, data);
