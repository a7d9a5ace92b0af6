import { randomUUID } from "node:crypto";
import {
  type AttributeValue,
  BatchGetItemCommand,
  DynamoDBClient,
  PutItemCommand,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { type AliasJson, aliasJson } from "../support/alias-json.ts";
import { aliasesOf, recipientsOf } from "../support/fixture.ts";
import { dynamoLocation } from "../support/new-dynamo-store.ts";
import { readSetup } from "../support/setup.ts";
import { serveBare } from "./bare/http.ts";
import type { Replaced } from "./shared/memory-store.ts";

/*
 * Bare node:http on the two calls of the AWS SDK that a replacement needs: one that reads the alias and the recipients, and
 * one transaction that writes the alias, and the recipients that are attached or detached. Attribute values are written by
 * hand, so nothing is marshalled.
 */

const setup = readSetup();
const table = setup.database;
const client = new DynamoDBClient({
  ...dynamoLocation(setup.dynamoDbEndpoint),
  maxAttempts: 1,
  requestHandler: { connectionTimeout: 500, requestTimeout: 30_000, throwOnRequestTimeout: true },
});

type Item = Record<string, AttributeValue>;

const keyOf = (account: string, kind: "alias" | "recipient", id: string): Item => ({
  pk: { S: account },
  sk: { S: `${kind}#${id}` },
});

const put = (item: Item) => client.send(new PutItemCommand({ TableName: table, Item: item }));

const attached = new Map<string, number>();
for (const alias of aliasesOf(setup.fixture)) {
  for (const { account, id } of alias.recipients) {
    attached.set(account + id, (attached.get(account + id) ?? 0) + 1);
  }
  await put({
    ...keyOf(alias.account, "alias", alias.id),
    json: { S: JSON.stringify(aliasJson(alias)) },
    recipients: { L: alias.recipients.map(({ id }) => ({ S: id })) },
    emails: { L: alias.recipients.map(({ email }) => ({ S: email })) },
    updatedAt: { N: String(aliasJson(alias).datetime_updated) },
    version: { N: "1" },
  });
}
for (const { account, id, email, verified } of recipientsOf(setup.fixture)) {
  await put({
    ...keyOf(account, "recipient", id),
    email: { S: email },
    active: { BOOL: true },
    attached: { N: String(attached.get(account + id) ?? 0) },
    ...(verified && { verifiedAt: { N: "1" } }),
  });
}

const list = (value: AttributeValue | undefined): readonly string[] => value?.L?.map(({ S = "" }) => S) ?? [];

const replace = async (account: string, id: string, requested: readonly string[]): Promise<Replaced> => {
  const ids = [...new Set(requested)];
  const read = await client.send(
    new BatchGetItemCommand({
      RequestItems: {
        [table]: {
          Keys: [keyOf(account, "alias", id), ...ids.map((each) => keyOf(account, "recipient", each))],
          ConsistentRead: true,
        },
      },
    }),
  );
  const items = new Map(read.Responses?.[table]?.map((item) => [item["sk"]?.S, item]));
  const alias = items.get(`alias#${id}`);
  if (alias === undefined) return { failure: "not_found" };
  const json: AliasJson = JSON.parse(alias["json"]?.S ?? "");
  if (json.datetime_deleted !== null) return { failure: "deleted" };
  const emails: string[] = [];
  const ineligible: string[] = [];
  for (const each of ids) {
    const recipient = items.get(`recipient#${each}`);
    if (recipient?.["verifiedAt"] !== undefined && recipient["active"]?.BOOL === true)
      emails.push(recipient["email"]?.S ?? "");
    else ineligible.push(each);
  }
  if (ineligible.length > 0) return { failure: "ineligible", ids: ineligible };
  const before = list(alias["recipients"]);
  const version = Number(alias["version"]?.N);
  json.destination_emails = emails;
  json.datetime_updated = Number(alias["updatedAt"]?.N);
  if (before.length === ids.length && before.every((each, n) => each === ids[n])) return { json, version };
  json.datetime_updated = Date.now();
  const count = (each: string, by: "1" | "-1") => ({
    Update: {
      TableName: table,
      Key: keyOf(account, "recipient", each),
      UpdateExpression: "ADD attached :by",
      ...(by === "1"
        ? {
            ConditionExpression: "active = :true AND attribute_exists(verifiedAt)",
            ExpressionAttributeValues: { ":by": { N: by }, ":true": { BOOL: true } },
          }
        : { ExpressionAttributeValues: { ":by": { N: by } } }),
    },
  });
  await client.send(
    new TransactWriteItemsCommand({
      ClientRequestToken: randomUUID(),
      TransactItems: [
        {
          Update: {
            TableName: table,
            Key: keyOf(account, "alias", id),
            UpdateExpression: "SET recipients = :ids, emails = :emails, updatedAt = :now, version = :next",
            ConditionExpression: "version = :before",
            ExpressionAttributeValues: {
              ":ids": { L: ids.map((each) => ({ S: each })) },
              ":emails": { L: emails.map((each) => ({ S: each })) },
              ":now": { N: String(json.datetime_updated) },
              ":next": { N: String(version + 1) },
              ":before": { N: String(version) },
            },
          },
        },
        ...ids.filter((each) => !before.includes(each)).map((each) => count(each, "1")),
        ...before.filter((each) => !ids.includes(each)).map((each) => count(each, "-1")),
      ],
    }),
  );
  return { json, version: version + 1 };
};

await serveBare(setup, { replace });
