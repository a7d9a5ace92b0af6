import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CreateTableCommand, type DynamoDBClient, UpdateTimeToLiveCommand } from "@aws-sdk/client-dynamodb";
import { checkTable, createTable } from "@postern/adapter-dynamodb";
import {
  type AccountId,
  type AliasId,
  compareIds,
  LoggedMessage,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  parseEventId,
  parseRecipientId,
  parseWebhookId,
  type RecipientId,
} from "@postern/core";
import { Announcement } from "@postern/core/store";
import { KEY_LIKE_IDS, testMessage, valueOf } from "@postern/core/testing";
import { accountId, aliasId, recipientId } from "@postern/core/testing/arbitraries";
import type { DynamoDb } from "@postern/test-support/dynamodb-local";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { differences } from "../src/check-table.ts";
import { Key, KeyRange, Partition, TABLE } from "../src/table.ts";

let dynamo: DynamoDb;
let client: DynamoDBClient;
beforeAll(async () => {
  dynamo = await sharedDynamoDb();
  client = dynamo.client();
});
afterAll(() => client.destroy());

test("creates a table of the required shape, and is idempotent", async () => {
  expect(await createTable(dynamo.location, "mine")).toMatchObject({ value: [] });
  expect(await createTable(dynamo.location, "mine")).toMatchObject({ value: [] });
  expect(await checkTable(dynamo.location, "mine")).toMatchObject({ value: [] });
});

test("two concurrent creations create one table", async () => {
  const [one, two] = await Promise.all([
    createTable(dynamo.location, "shared"),
    createTable(dynamo.location, "shared"),
  ]);
  // DynamoDB may refuse the later of two requests to enable expiry; repeating it succeeds.
  expect([one.isOk(), two.isOk()]).toContain(true);
  expect(await createTable(dynamo.location, "shared")).toMatchObject({ value: [] });
});

test("creating returns every difference, fixes those it can, and leaves the others", async () => {
  await client.send(
    new CreateTableCommand({
      TableName: "other",
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "N" }],
      ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
    }),
  );
  const permanent = [
    "partition key is id (N), should be pk (S)",
    "sort key is none, should be sk (S)",
    "billing mode is PROVISIONED, should be PAY_PER_REQUEST",
  ];
  expect(await checkTable(dynamo.location, "other")).toMatchObject({
    value: [...permanent, "time-to-live attribute is none, should be expires"],
  });
  expect(await createTable(dynamo.location, "other")).toMatchObject({ value: permanent });
  expect(await checkTable(dynamo.location, "other")).toMatchObject({ value: permanent });
});

test("another expiry attribute is reported and left unchanged", async () => {
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

test("a table without point-in-time recovery is reported (DynamoDB Local cannot show this)", () => {
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

test("a replica in another region is reported (DynamoDB Local has none)", () => {
  const { KeySchema, AttributeDefinitions, BillingMode } = TABLE;
  const Replicas = [{ RegionName: "us-east-1" }, { RegionName: "eu-west-1" }];
  const described = {
    Table: {
      KeySchema,
      AttributeDefinitions,
      BillingModeSummary: { BillingMode },
      Replicas,
    },
    TimeToLiveDescription: { AttributeName: "expires", TimeToLiveStatus: "ENABLED" as const },
  };
  expect(differences(described)).toEqual(["replication is to us-east-1, eu-west-1, should be off"]);
});

test("a failed request returns table_error with DynamoDB's reason, and never throws", async () => {
  expect(await checkTable(dynamo.location, "not a name")).toMatchObject({
    error: { reason: "ValidationException" },
  });
  expect(await checkTable(dynamo.location, "missing")).toMatchObject({
    error: { code: "table_error", reason: "ResourceNotFoundException" },
  });
  const lost = { ...dynamo.location, endpoint: "http://127.0.0.1:1" };
  expect((await createTable(lost, "mine")).isErr()).toBe(true);
});

test("the CloudFormation template creates the same table", () => {
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
  const account = valueOf(parseAccountId("a"));

  test("of different things differ", async () => {
    const ids = fc.record({ account: accountId(), alias: aliasId(), other: recipientId() });
    const keysOf = ({ account, alias, other }: { account: AccountId; alias: AliasId; other: RecipientId }) =>
      [
        Key.alias(account, alias),
        Key.recipient(account, valueOf(parseRecipientId(alias))),
        Key.event(account, alias, valueOf(parseEventId(other))),
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

  test("of events are unambiguous, and belong to the range of one alias", () => {
    const texts = [...KEY_LIKE_IDS, "1#a", "a#1", "1", "a#"];
    const events = texts.flatMap((alias) => texts.map((event) => ({ alias, event })));
    const keys = events.map(({ alias, event }) =>
      Key.event(account, valueOf(parseAliasId(alias)), valueOf(parseEventId(event))),
    );
    expect(new Set(keys.map(({ sk }) => sk)).size).toBe(events.length);
    for (const text of texts) {
      const { prefix } = KeyRange.events(account, valueOf(parseAliasId(text)));
      const inRange = events.filter((_, i) => keys[i]?.sk.startsWith(prefix));
      expect(inRange).toEqual(events.filter(({ alias }) => alias === text));
    }
  });

  test("of announcements are unambiguous, in the order of the positions, and belong to the range of one webhook", () => {
    const texts = [...new Set([...KEY_LIKE_IDS, "1#a", "a#1", "\uffee", "\u{1f4e7}"])];
    const ids = ["a", "b"].map((letter) => valueOf(parseWebhookId(letter.repeat(26))));
    const places = texts.flatMap((text) => ids.map((id) => ({ account: valueOf(parseAccountId(text)), id })));
    const announcements = places.flatMap(({ account, id: webhook }) =>
      texts.flatMap((text) => {
        const alias = valueOf(parseAliasId(text));
        const messages = [null, LoggedMessage.position(testMessage({ account, id: alias }))];
        return messages.map((message) => ({ account, webhook, alias, message, version: 1, at: 0 }));
      }),
    );
    const keys = announcements.map((each) =>
      Key.announcement({ account: each.account, id: each.webhook }, Announcement.position(each)),
    );
    expect(keys.map(Partition.announcement)).toEqual(announcements);
    expect(new Set(keys.map(({ pk, sk }) => JSON.stringify([pk, sk]))).size).toBe(announcements.length);
    const order = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    for (const place of places) {
      const { pk, prefix } = KeyRange.announcements(place);
      const inRange = keys.filter((key) => key.pk === pk && key.sk.startsWith(prefix));
      const own = announcements.filter(
        ({ account, webhook }) => account === place.account && webhook === place.id,
      );
      expect(inRange.map(({ sk }) => sk).toSorted(order)).toEqual(
        own
          .map(Announcement.position)
          .toSorted(compareIds)
          .map((position) => prefix + position),
      );
    }
    const turns = places.map(Key.turns);
    expect(new Set(turns.map(({ sk }) => sk)).size).toBe(places.length);
    expect(
      turns.every(({ pk, sk }) => pk === KeyRange.turns.pk && sk.startsWith(KeyRange.turns.prefix)),
    ).toBe(true);
  });

  test("of turns do not reveal the account in what servers log", () => {
    const id = valueOf(parseWebhookId("a".repeat(26)));
    expect(Key.turns({ account: valueOf(parseAccountId("somebody")), id }).sk).not.toContain("somebody");
  });

  test.for<Partial<Key>>([
    { pk: "announcements#aaaa#a" },
    { pk: `announcements#${"a".repeat(26)}#` },
    { pk: "account#a" },
    { sk: "announcement#a" },
    { sk: "event#a" },
  ])("of other items are not mistaken for those of an announcement: %o", (other) => {
    const place = { account, id: valueOf(parseWebhookId("a".repeat(26))) };
    const alias = valueOf(parseAliasId("a"));
    const position = Announcement.position({
      account,
      webhook: place.id,
      alias,
      message: null,
      version: 1,
      at: 0,
    });
    const key = Key.announcement(place, position);
    expect(Partition.announcement(key)).toMatchObject({ account, alias });
    expect(Partition.announcement({ ...key, ...other })).toBeNull();
  });

  test("of tally items are in the order of the ids, and span the aliases of a page and no others", async () => {
    const order = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    const tallies = (id: AliasId) => Key.tallies(account, id).map(({ sk }) => sk);
    await fc.assert(
      fc.property(
        fc.uniqueArray(aliasId(), { minLength: 1, maxLength: 12 }),
        fc.nat(),
        fc.nat(),
        (ids, a, b) => {
          const sorted = ids.toSorted(compareIds);
          const keys = sorted.flatMap(tallies);
          expect(keys.toSorted(order)).toEqual(keys);
          expect(new Set(keys).size).toBe(keys.length);
          const page = sorted.slice(Math.min(a, b) % sorted.length, (Math.max(a, b) % sorted.length) + 1);
          const [lowest, highest] = [page[0], page.at(-1)];
          if (lowest === undefined || highest === undefined) return;
          const { first, last } = KeyRange.tallies(account, { lowest, highest });
          const spanned = keys.filter((sk) => order(sk, first) >= 0 && order(sk, last) <= 0);
          expect(spanned).toEqual(page.flatMap(tallies));
          for (const id of ids) {
            for (const key of [Key.alias(account, id), ...Key.tallies(account, id)]) {
              expect(Partition.alias(key)).toEqual({ account, id });
            }
          }
        },
      ),
    );
    expect(Partition.alias(Key.suspension(account))).toBeNull();
  });

  test("are within DynamoDB's limits even with the longest ids", () => {
    const longest = "漢".repeat(128);
    const { pk, sk } = Key.event(
      valueOf(parseAccountId(longest)),
      valueOf(parseAliasId(longest)),
      valueOf(parseEventId(longest)),
    );
    expect(Buffer.byteLength(pk)).toBeLessThanOrEqual(2048);
    expect(Buffer.byteLength(sk)).toBeLessThanOrEqual(1024);
    for (const tally of Key.tallies(account, valueOf(parseAliasId(longest)))) {
      expect(Buffer.byteLength(tally.sk)).toBeLessThanOrEqual(1024);
    }
    const webhook = {
      account: valueOf(parseAccountId(longest)),
      id: valueOf(parseWebhookId("a".repeat(26))),
    };
    const alias = { account: webhook.account, id: valueOf(parseAliasId(longest)) };
    const position = Announcement.position({
      account: alias.account,
      webhook: webhook.id,
      alias: alias.id,
      message: LoggedMessage.position(testMessage(alias)),
      version: Number.MAX_SAFE_INTEGER,
      at: Number.MAX_SAFE_INTEGER,
    });
    for (const each of [Key.announcement(webhook, position), Key.turns(webhook)]) {
      expect(Buffer.byteLength(each.pk)).toBeLessThanOrEqual(2048);
      expect(Buffer.byteLength(each.sk)).toBeLessThanOrEqual(1024);
    }
  });

  test("of counts are in no range of ids, events or ledger entries", () => {
    const id = valueOf(parseAliasId("a"));
    const ranges = [
      KeyRange.aliases(account),
      KeyRange.recipients(account),
      KeyRange.events(account, id),
      ...KeyRange.ledger,
    ];
    for (const kind of ["aliases", "recipients"] as const) {
      const { pk, sk } = Key.usage(account, kind);
      expect(ranges.filter((range) => range.pk === pk && sk.startsWith(range.prefix))).toEqual([]);
    }
  });

  test("of addresses do not reveal the address, and ignore its case", () => {
    const [lower, upper] = [
      valueOf(parseEmailAddress("shop@alias.example")),
      valueOf(parseEmailAddress("SHOP@alias.example")),
    ];
    expect(Key.address(upper)).toEqual(Key.address(lower));
    expect(Key.recipientAddress(account, upper)).toEqual(Key.recipientAddress(account, lower));
    expect(Key.retired(upper)).toEqual(Key.retired(lower));
    const keys = [
      Key.address(lower),
      Key.retired(lower),
      Key.recipientAddress(account, lower),
      Key.blockedSenderLead(account, lower),
    ];
    expect(JSON.stringify(keys)).not.toContain("shop");
  });
});
