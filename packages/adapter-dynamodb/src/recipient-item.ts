import { parseRecipient, parseRecipientId, type Recipient } from "@postern/core";
import { itemParser, keyedItemParser } from "./item.ts";
import { Key, SCHEMA } from "./table.ts";

/** A recipient is stored with all its fields, under their own names. */
export const parseRecipientItem = keyedItemParser(parseRecipient, ({ account, id }) =>
  Key.recipient(account, id),
);

/** The item of a new recipient, attached to no alias. */
export const newRecipientItem = (recipient: Recipient) => ({
  ...recipient,
  ...Key.recipient(recipient.account, recipient.id),
  schema: SCHEMA,
  attached: 0,
});

/** Reserves the address for that recipient. Only used in conditions, and read by checks of the table. */
export const newRecipientAddressItem = ({ account, id, email }: Recipient) => ({
  ...Key.recipientAddress(account, email),
  schema: SCHEMA,
  recipient: id,
});

/** The recipient for which the address is reserved. */
export const parseRecipientAddressItem = itemParser(({ recipient }) => parseRecipientId(recipient));
