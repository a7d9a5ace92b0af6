import type { Recipient } from "@postern/core";
import { parseRecipient, type RecipientSettings } from "@postern/core/store";
import { type Row, stored } from "../file/row.ts";
import { type Columns, table } from "./table.ts";

/** `attached` is counted by triggers. */
type Identity = Exclude<keyof Recipient, keyof RecipientSettings | "attached">;

const identity = {
  account: ["account", (recipient) => recipient.account],
  id: ["id", (recipient) => recipient.id],
  email: ["email", (recipient) => recipient.email],
  createdAt: ["created_at", (recipient) => recipient.createdAt],
} satisfies Columns<Recipient, Identity>;

const settings = {
  verifiedAt: ["verified_at", (recipient) => recipient.verifiedAt],
  active: ["active", (recipient) => Number(recipient.active)],
  defaultSince: ["default_since", (recipient) => recipient.defaultSince],
  nonce: ["nonce", (recipient) => recipient.nonce],
  verificationSentAt: ["verification_sent_at", (recipient) => recipient.verificationSentAt],
  verificationDelivery: ["verification_delivery", (recipient) => recipient.verificationDelivery],
  updatedAt: ["updated_at", (recipient) => recipient.updatedAt],
  version: ["version", (recipient) => recipient.version],
} satisfies Columns<Recipient, keyof RecipientSettings>;

export const recipientTable = table<Recipient>("recipients", identity, settings);

/** `row` has all columns of `recipients`. */
export const recipientOf = (row: Row): Recipient =>
  stored("recipients", () =>
    parseRecipient({
      id: row["id"],
      account: row["account"],
      email: row["email"],
      verifiedAt: row["verified_at"],
      active: row["active"] === 1,
      defaultSince: row["default_since"],
      attached: row["attached"],
      nonce: row["nonce"],
      verificationSentAt: row["verification_sent_at"],
      verificationDelivery: row["verification_delivery"],
      createdAt: row["created_at"],
      updatedAt: row["updated_at"],
      version: row["version"],
    } satisfies Record<keyof Recipient, unknown>),
  );
