import { type AccountId, err, ok, type RecipientId } from "@postern/core";
import type { attachments } from "@postern/core/store";
import type { AliasKey } from "./address-item.ts";
import type { Write } from "./database.ts";
import { itemParser } from "./item.ts";
import { ATTACHMENT_ITEMS } from "./recipient-item.ts";
import { Key, Partition, SCHEMA } from "./table.ts";

/*
 * What attaching and detaching recipients changes besides the alias itself: each recipient counts its aliases, and has an item
 * for each of them, which contains nothing but its key. The items only help to find aliases; the aliases themselves are
 * authoritative.
 */

/** Attaches a recipient to `times` aliases; refused unless it is verified and active. Ends a recount (`counts.ts`). */
export const attach = (table: string, account: AccountId, id: RecipientId, times: number): Write => ({
  Update: {
    TableName: table,
    Key: { ...Key.recipient(account, id) },
    UpdateExpression: "SET attached = attached + :times ADD #items :times REMOVE recounting",
    ConditionExpression: "active = :true AND attribute_type(verifiedAt, :number)",
    ExpressionAttributeNames: { "#items": ATTACHMENT_ITEMS },
    ExpressionAttributeValues: { ":times": times, ":true": true, ":number": "N" },
  },
});

/** Detaches a recipient; refused unless it is attached. Also ends a recount. */
const detach = (table: string, account: AccountId, id: RecipientId): Write => ({
  Update: {
    TableName: table,
    Key: { ...Key.recipient(account, id) },
    UpdateExpression: "SET attached = attached - :one ADD #items :less REMOVE recounting",
    ConditionExpression: "attached >= :one",
    ExpressionAttributeNames: { "#items": ATTACHMENT_ITEMS },
    ExpressionAttributeValues: { ":one": 1, ":less": -1 },
  },
});

/** The writes that count the alias in the recipients that it attaches and detaches. */
export const countAttachments = (
  table: string,
  account: AccountId,
  { attached, detached }: ReturnType<typeof attachments>,
): readonly Write[] => [
  ...attached.map((id) => attach(table, account, id, 1)),
  ...detached.map((id) => detach(table, account, id)),
];

/** Which recipient an attachment item attaches to which alias. */
export const parseAttachmentItem = itemParser((item) => {
  const attachment = Partition.attachment(item);
  return attachment === null ? err({ code: "corrupt" }) : ok(attachment);
});

export const putAttachments = (
  table: string,
  { account, id }: AliasKey,
  recipients: readonly RecipientId[],
): readonly Write[] =>
  recipients.map((recipient) => ({
    Put: { TableName: table, Item: { ...Key.attachment(account, recipient, id), schema: SCHEMA } },
  }));

export const deleteAttachments = (
  table: string,
  { account, id }: AliasKey,
  recipients: readonly RecipientId[],
): readonly Write[] =>
  recipients.map((recipient) => ({
    Delete: { TableName: table, Key: { ...Key.attachment(account, recipient, id) } },
  }));

/** Everything that attaches and detaches recipients of the alias, for the transaction that writes the alias. */
export const attachmentWrites = (
  table: string,
  alias: AliasKey,
  change: ReturnType<typeof attachments>,
): readonly Write[] => [
  ...countAttachments(table, alias.account, change),
  ...putAttachments(table, alias, change.attached),
  ...deleteAttachments(table, alias, change.detached),
];
