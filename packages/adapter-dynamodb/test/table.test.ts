import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CreateTableCommand, type DynamoDBClient, UpdateTimeToLiveCommand } from "@aws-sdk/client-dynamodb";
import { checkTable, createTable } from "@postern/adapter-dynamodb";
import { AccountId, AliasId, EmailAddress, EventId, RecipientId } from "@postern/core";
import { accountId, aliasId, KEY_LIKE_IDS, recipientId } from "@postern/core/testing";
import { type DynamoDbLocal, startDynamoDbLocal } from "@postern/test-support/dynamodb-local";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { differences } from "../src/check-table.ts";
import { Key, TABLE } from "../src/table.ts";

let dynamo: DynamoDbLocal;
let client: DynamoDBClient;
beforeAll(async () => {
  dynamo = await startDynamoDbLocal();
  client = dynamo.client();
});
afterAll(async () => {
  client.destroy();
  await dynamo.stop();
});

test("a table is created as it has to be, and creating it again changes nothing", async () => {
  expect(await createTable(dynamo.location, "mine")).toMatchObject({ value: [] });
  expect(await createTable(dynamo.location, "mine")).toMatchObject({ value: [] });
  expect(await checkTable(dynamo.location, "mine")).toMatchObject({ value: [] });
});

test("two at once create one table", async () => {
  const [one, two] = await Promise.all([
    createTable(dynamo.location, "shared"),
    createTable(dynamo.location, "shared"),
  ]);
  // The one that is too late to switch on the expiry is told so by DynamoDB; a repetition finds all well.
  expect([one.isOk(), two.isOk()]).toContain(true);
  expect(await createTable(dynamo.location, "shared")).toMatchObject({ value: [] });
});

test("creating names what differs, mends what can be mended and leaves the rest", async () => {
  await client.send(
    new CreateTableCommand({
      TableName: "other",
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "N" }],
      ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
    }),
  );
  const unmendable = [
    "partition key is id (N), should be pk (S)",
    "sort key is none, should be sk (S)",
    "billing mode is PROVISIONED, should be PAY_PER_REQUEST",
  ];
  expect(await checkTable(dynamo.location, "other")).toMatchObject({
    value: [...unmendable, "time-to-live attribute is none, should be expires"],
  });
  expect(await createTable(dynamo.location, "other")).toMatchObject({ value: unmendable });
  expect(await checkTable(dynamo.location, "other")).toMatchObject({ value: unmendable });
});

test("another expiry is named and left", async () => {
  const { TimeToLiveSpecification: _, PointInTimeRecoverySpecification: __, ...atCreation } = TABLE;
  await client.send(new CreateTableCommand({ TableName: "expiring", ...atCreation }));
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: "expiring",
      TimeToLiveSpecification: { AttributeName: "gone", Enabled: true },
    }),
  );
  expect(await createTable(dynamo.location, "expiring")).toMatchObject({
    value: ["time-to-live attribute is gone, should be expires"],
  });
});

test("a table without point-in-time recovery differs; DynamoDB Local has none to check", () => {
  const { KeySchema, AttributeDefinitions, BillingMode } = TABLE;
  const described = {
    Table: { KeySchema, AttributeDefinitions, BillingModeSummary: { BillingMode } },
    TimeToLiveDescription: { AttributeName: "expires", TimeToLiveStatus: "ENABLING" },
  } as const;
  const backups = (status: "ENABLED" | "DISABLED") => ({
    ContinuousBackupsDescription: {
      ContinuousBackupsStatus: "ENABLED" as const,
      PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: status },
    },
  });
  expect(differences({ ...described, ...backups("ENABLED") })).toEqual([]);
  expect(differences({ ...described, ...backups("DISABLED") })).toEqual([
    "point-in-time recovery is off, should be on",
  ]);
});

test("what cannot be asked is an error with a name, never an exception", async () => {
  expect(await checkTable(dynamo.location, "nobody's")).toMatchObject({
    error: { reason: "ValidationException" },
  });
  expect(await checkTable(dynamo.location, "missing")).toMatchObject({
    error: { code: "table_error", reason: "ResourceNotFoundException" },
  });
  const lost = { ...dynamo.location, endpoint: "http://127.0.0.1:1" };
  expect((await createTable(lost, "mine")).isErr()).toBe(true);
});

test("the CloudFormation template makes the same table", () => {
  const path = join(import.meta.dirname, "../../../deploy/dynamodb-table.json");
  const template = z
    .object({
      Resources: z.object({
        Table: z.looseObject({ Type: z.string(), Properties: z.record(z.string(), z.unknown()) }),
      }),
    })
    .parse(JSON.parse(readFileSync(path, "utf8")));
  const { Type, Properties, ...kept } = template.Resources.Table;
  expect(Type).toBe("AWS::DynamoDB::Table");
  expect(Properties).toEqual({ TableName: { Ref: "TableName" }, ...TABLE });
  expect(kept).toEqual({ DeletionPolicy: "Retain", UpdateReplacePolicy: "Retain" });
});

describe("keys", () => {
  const account = AccountId.parse("a");

  test("of different things are different", async () => {
    const ids = fc.record({ account: accountId(), alias: aliasId(), other: recipientId() });
    const keysOf = ({ account, alias, other }: { account: AccountId; alias: AliasId; other: RecipientId }) =>
      [
        Key.alias(account, alias),
        Key.recipient(account, RecipientId.parse(alias)),
        Key.event(account, alias, EventId.parse(other)),
      ].map(({ pk, sk }) => JSON.stringify([pk, sk]));
    await fc.assert(
      fc.property(ids, ids, (one, two) => {
        fc.pre(one.account !== two.account || one.alias !== two.alias || one.other !== two.other);
        const same = keysOf(one).filter((key) => keysOf(two).includes(key));
        const sharesAlias = one.account === two.account && one.alias === two.alias;
        expect(same).toHaveLength(sharesAlias ? 2 : 0);
        expect(new Set(keysOf(one)).size).toBe(3);
      }),
    );
  });

  test("of events cannot be cut at another place", () => {
    const halves = KEY_LIKE_IDS.flatMap((a) => KEY_LIKE_IDS.map((b) => [a, b] as const));
    const keys = halves.map(([a, b]) => Key.event(account, AliasId.parse(a), EventId.parse(b)).sk);
    expect(new Set(keys).size).toBe(halves.length);
    const cut = ["1#a", "a#1", "1", "a", "#"].flatMap((a) =>
      ["1#a", "a#1", "1", "a", "#"].map((b) => [a, b] as const),
    );
    expect(new Set(cut.map(([a, b]) => Key.event(account, AliasId.parse(a), EventId.parse(b)).sk)).size).toBe(
      25,
    );
  });

  test("fit even for the longest ids", () => {
    const longest = "漢".repeat(128);
    const { pk, sk } = Key.event(AccountId.parse(longest), AliasId.parse(longest), EventId.parse(longest));
    expect(Buffer.byteLength(pk)).toBeLessThanOrEqual(2048);
    expect(Buffer.byteLength(sk)).toBeLessThanOrEqual(1024);
  });

  test("of addresses do not tell the address, and are one whatever its case", () => {
    const [lower, upper] = [
      EmailAddress.parse("shop@alias.example"),
      EmailAddress.parse("SHOP@alias.example"),
    ];
    expect(Key.address(upper)).toEqual(Key.address(lower));
    expect(Key.recipientAddress(account, upper)).toEqual(Key.recipientAddress(account, lower));
    expect(JSON.stringify([Key.address(lower), Key.recipientAddress(account, lower)])).not.toContain("shop");
  });
});
