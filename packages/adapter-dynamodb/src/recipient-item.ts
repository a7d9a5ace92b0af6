import { AccountId, EmailAddress, type Recipient, RecipientId } from "@postern/core";
import { z } from "zod";
import { ItemHead } from "./database.ts";
import { Key, SCHEMA } from "./table.ts";

const Time = z.int().nonnegative();

/** A recipient as it is kept: its own fields, under their own names. */
export const RecipientItem = ItemHead.extend({
  id: RecipientId,
  account: AccountId,
  email: EmailAddress,
  verifiedAt: Time.nullable(),
  active: z.boolean(),
  attached: z.int().nonnegative(),
  nonce: z.string(),
  mailedAt: z.array(Time),
  createdAt: Time,
  updatedAt: Time,
  version: z.int().positive(),
})
  // An item that got under another account's key must not be shown to it.
  .refine((item) => Key.same(item, Key.recipient(item.account, item.id)))
  .transform(({ pk: _, sk: __, schema: ___, ...recipient }): Recipient => recipient);

/** The item of a new recipient, which no alias holds. */
export const newRecipientItem = (recipient: Recipient) => ({
  ...recipient,
  ...Key.recipient(recipient.account, recipient.id),
  schema: SCHEMA,
  attached: 0,
});

/** Keeps the address to that recipient. Nothing is ever read from it. */
export const newRecipientAddressItem = ({ account, id, email }: Recipient) => ({
  ...Key.recipientAddress(account, email),
  schema: SCHEMA,
  recipient: id,
});
