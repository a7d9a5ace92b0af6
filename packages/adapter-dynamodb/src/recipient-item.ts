import { parseRecipientId, type Recipient } from "@postern/core";
import { parseRecipient } from "@postern/core/store";
import { itemParser, keyedItemParser, type StoredItem } from "./item.ts";
import { Key, SCHEMA } from "./table.ts";

/** A recipient is stored with all its fields, under their own names. */
export const parseRecipientItem = keyedItemParser(parseRecipient, ({ account, id }) =>
  Key.recipient(account, id),
);

/**
 * The attribute of a recipient that says for how many aliases it has an attachment item. Every write that changes `attached`
 * changes it by the same amount, except those of servers that predate such items.
 */
export const ATTACHMENT_ITEMS = "attachmentItems";

/** The value of `ATTACHMENT_ITEMS`; a recipient that predates attachment items has no such attribute. */
export const attachmentItemsOf = (item: StoredItem): unknown => item[ATTACHMENT_ITEMS] ?? 0;

/**
 * Whether all aliases of a recipient can be found by its attachment items. If not, older servers have attached it, or detached
 * it, and `migrateTable` has not run since.
 */
export const isListed = (item: StoredItem): boolean => attachmentItemsOf(item) === item["attached"];

/** The item of a new recipient, attached to no alias. */
export const newRecipientItem = (recipient: Recipient) => ({
  ...recipient,
  ...Key.recipient(recipient.account, recipient.id),
  schema: SCHEMA,
  attached: 0,
  [ATTACHMENT_ITEMS]: 0,
});

/** Reserves the address for that recipient. Only used in conditions, and read by checks of the table. */
export const newRecipientAddressItem = ({ account, id, email }: Recipient) => ({
  ...Key.recipientAddress(account, email),
  schema: SCHEMA,
  recipient: id,
});

/** The recipient for which the address is reserved. */
export const parseRecipientAddressItem = itemParser(({ recipient }) => parseRecipientId(recipient));
