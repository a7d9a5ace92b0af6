import type { Recipient } from "@postern/core";
import { parseRecipient, type RecipientSettings } from "@postern/core/store";
import { type Columns, fieldsOf } from "./columns.ts";
import { stored } from "./row.ts";

/** `attached` is counted by triggers. */
type Identity = Exclude<keyof Recipient, keyof RecipientSettings | "attached">;

const identity = {
  account: ["account", (recipient) => recipient.account],
  id: ["id", (recipient) => recipient.id],
  email: ["email", (recipient) => recipient.email],
  createdAt: ["created_at", (recipient) => recipient.createdAt],
} satisfies Columns<Recipient, Identity>;

/** The columns that a save writes. */
export const settingColumns = {
  verifiedAt: ["verified_at", (recipient) => recipient.verifiedAt],
  active: ["active", (recipient) => recipient.active],
  defaultSince: ["default_since", (recipient) => recipient.defaultSince],
  nonce: ["nonce", (recipient) => recipient.nonce],
  verificationSentAt: ["verification_sent_at", (recipient) => recipient.verificationSentAt],
  verificationDelivery: ["verification_delivery", (recipient) => recipient.verificationDelivery],
  updatedAt: ["updated_at", (recipient) => recipient.updatedAt],
  version: ["version", (recipient) => recipient.version],
} satisfies Columns<Recipient, keyof RecipientSettings>;

/** The columns that a creation writes. */
export const recipientColumns = { ...identity, ...settingColumns };

/** The JSON that `recipientOf` needs, from `recipients AS r`. */
export const RECIPIENT = `json_build_object(${fieldsOf(recipientColumns, "r")}, 'attached', r.attached)`;

/** @throws DamagedRow */
export const recipientOf = (data: unknown): Recipient => stored("recipients", parseRecipient, data);
