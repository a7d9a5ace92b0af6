import {
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  paginateScan,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { Alias, type MailOutcome } from "@postern/core";
import * as z from "zod";
import { searchItems } from "../../src/search-items.ts";
import { Key } from "../../src/table.ts";

/* Items in the table, read and written directly instead of through the store. */

const Item = z.looseObject({ pk: z.string(), sk: z.string() });
export type Item = z.output<typeof Item>;

/** Every item in the table, except the one that says that its aliases can be searched. */
export const scan = async (documents: DynamoDBDocumentClient, table: string): Promise<readonly Item[]> => {
  const items: Item[] = [];
  for await (const page of paginateScan({ client: documents }, { TableName: table, ConsistentRead: true })) {
    items.push(...z.array(Item).parse(page.Items ?? []));
  }
  return items.filter((item) => !Key.same(item, Key.searchable));
};

/** Whether the table has that item. */
export const isSearchable = async (documents: DynamoDBDocumentClient, table: string): Promise<boolean> => {
  const { Item } = await documents.send(new GetCommand({ TableName: table, Key: { ...Key.searchable } }));
  return Item !== undefined;
};

/** Makes the table look like one from before there were search items, if none of its aliases have any. */
export const forgetSearchable = async (documents: DynamoDBDocumentClient, table: string): Promise<void> => {
  await documents.send(new DeleteCommand({ TableName: table, Key: { ...Key.searchable } }));
};

/** Makes the alias look like one that a version without search items has created. */
export const withoutSearchItems = async (
  documents: DynamoDBDocumentClient,
  table: string,
  alias: Alias,
): Promise<void> => {
  for (const { pk, sk } of searchItems(alias))
    await documents.send(new DeleteCommand({ TableName: table, Key: { pk, sk } }));
};

/** Stores items as they are. */
export const putAll = async (
  documents: DynamoDBDocumentClient,
  table: string,
  items: readonly object[],
): Promise<void> => {
  for (let n = 0; n < items.length; n += 25) {
    const requests = items.slice(n, n + 25).map((item) => ({ PutRequest: { Item: { ...item } } }));
    await documents.send(new BatchWriteCommand({ RequestItems: { [table]: requests } }));
  }
};

/** Changes one attribute of an item. */
export const setAttribute = (
  documents: DynamoDBDocumentClient,
  table: string,
  { pk, sk }: Key,
  attribute: string,
  value: unknown,
) =>
  documents.send(
    new UpdateCommand({
      TableName: table,
      Key: { pk, sk },
      UpdateExpression: "SET #attribute = :value",
      ExpressionAttributeNames: { "#attribute": attribute },
      ExpressionAttributeValues: { ":value": value },
    }),
  );

/** Makes the alias look like one that a version without tally items has created. */
export const withoutTallyItems = async (
  documents: DynamoDBDocumentClient,
  table: string,
  { account, id }: Pick<Alias, "account" | "id">,
): Promise<void> => {
  await documents.send(
    new UpdateCommand({
      TableName: table,
      Key: { ...Key.alias(account, id) },
      UpdateExpression: "REMOVE tallyItems",
    }),
  );
  for (const key of Key.tallies(account, id)) {
    await documents.send(new DeleteCommand({ TableName: table, Key: { ...key } }));
  }
};

/** Counts an event as a version without tally items does. */
export const countInAlias = async (
  documents: DynamoDBDocumentClient,
  table: string,
  { account, id }: Pick<Alias, "account" | "id">,
  outcome: MailOutcome,
  at: number,
): Promise<void> => {
  await documents.send(
    new UpdateCommand({
      TableName: table,
      Key: { ...Key.alias(account, id) },
      UpdateExpression:
        "SET tallies.#outcome.#count = tallies.#outcome.#count + :one, tallies.#outcome.lastAt = :at",
      ExpressionAttributeNames: { "#outcome": outcome, "#count": "count" },
      ExpressionAttributeValues: { ":one": 1, ":at": at },
    }),
  );
};

/** Makes the alias look like one to which a version without attachment items has attached its recipients. */
export const withoutAttachmentItems = async (
  documents: DynamoDBDocumentClient,
  table: string,
  alias: Alias,
): Promise<void> => {
  for (const recipient of Alias.attachedRecipients(alias)) {
    const { account, id } = alias;
    await documents.send(
      new DeleteCommand({ TableName: table, Key: { ...Key.attachment(account, recipient, id) } }),
    );
    await documents.send(
      new UpdateCommand({
        TableName: table,
        Key: { ...Key.recipient(account, recipient) },
        UpdateExpression: "ADD attachmentItems :less",
        ExpressionAttributeValues: { ":less": -1 },
      }),
    );
  }
};
