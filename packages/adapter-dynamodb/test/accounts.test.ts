import { BatchWriteCommand, DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { dynamoStore } from "@postern/adapter-dynamodb";
import type { AccountId, Page, Store } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { type DynamoDbLocal, startDynamoDbLocal } from "@postern/test-support/dynamodb-local";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Meter, startMeter } from "./support/meter.ts";

/** More than a single request examines. */
const MANY = 1_100;

const LARGE = Array.from({ length: 12 }, (_, n) => `large-${n}`);

let dynamo: DynamoDbLocal;
let meter: Meter;
let store: Store & { close(): void };

beforeAll(async () => {
  dynamo = await startDynamoDbLocal();
  meter = await startMeter(dynamo.endpoint);
  const table = await dynamo.newTable();
  const documents = DynamoDBDocumentClient.from(dynamo.client());
  const write = async (account: string, sks: readonly string[]) => {
    for (let n = 0; n < sks.length; n += 25) {
      const requests = sks
        .slice(n, n + 25)
        .map((sk) => ({ PutRequest: { Item: { pk: `account#${account}`, sk } } }));
      await documents.send(new BatchWriteCommand({ RequestItems: { [table]: requests } }));
    }
  };
  const many = (prefix: string, count = MANY) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);
  const writeHuge = (account: string, prefix: string) => {
    const sks = many(prefix, 5 * MANY);
    return Promise.all(
      [0, 1, 2, 3, 4].map((part) => write(account, sks.slice(part * MANY, (part + 1) * MANY))),
    );
  };
  // Only the keys matter: within a partition, aliases come before events, events before recipients, recipients before counts.
  await Promise.all(LARGE.map((account) => write(account, many("alias#"))));
  await writeHuge("huge", "alias#");
  await writeHuge("only events", "event#1#a#");
  await write("events and a recipient", [...many("event#1#a#"), "recipient#r"]);
  await write("only counts", ["usage#aliases", "usage#recipients"]);
  documents.destroy();
  store = dynamoStore({
    client: dynamo.client(meter.endpoint),
    table,
    clock: Date,
    onCorruptItem: () => expect.unreachable("no item is corrupt"),
    timeoutMs: 30_000,
  });
}, 120_000);
afterAll(async () => {
  store.close();
  await meter.close();
  await dynamo.stop();
});

test("lists each account once, except those that have only events or counts, in pages of bounded cost", async () => {
  const found: string[] = [];
  let after: AccountId | null = null;
  let requests = 0;
  meter.read();
  do {
    const page: Page<AccountId, AccountId> = valueOf(await store.accounts({ limit: 100, after }));
    const { length } = meter.read();
    expect(length).toBeLessThanOrEqual(8);
    requests += length;
    found.push(...page.items);
    after = page.next;
  } while (after !== null);
  expect(found.toSorted()).toEqual([...LARGE, "huge", "events and a recipient"].toSorted());
  // One per account, because the rest of its partition is skipped, and at most two if it has events.
  expect(requests).toBeLessThanOrEqual(LARGE.length + 1 + 2 + 2);
});
