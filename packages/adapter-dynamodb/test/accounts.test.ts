import type { AccountId, Page } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { putAll } from "./support/items.ts";
import { type Meter, startMeter } from "./support/meter.ts";
import { type OpenStore, openStore } from "./support/open-store.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

/** More than a single request examines. */
const MANY = 1_100;

const LARGE = Array.from({ length: 12 }, (_, n) => `large-${n}`);

const { dynamo, documents } = useDynamoDb();
let meter: Meter;
let store: OpenStore;

beforeAll(async () => {
  meter = await startMeter(dynamo().endpoint);
  const table = await dynamo().newTable();
  const write = (account: string, sks: readonly string[]) =>
    putAll(
      documents(),
      table,
      sks.map((sk) => ({ pk: `account#${account}`, sk })),
    );
  const many = (prefix: string, count = MANY) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);
  const writeHuge = (account: string, prefix: string) => {
    const sks = many(prefix, 5 * MANY);
    return Promise.all(
      [0, 1, 2, 3, 4].map((part) => write(account, sks.slice(part * MANY, (part + 1) * MANY))),
    );
  };
  // Only the keys matter: within a partition, aliases come before attachments, then events, recipients, tallies and counts.
  await Promise.all(LARGE.map((account) => write(account, many("alias#"))));
  await writeHuge("huge", "alias#");
  await writeHuge("only events", "event#1#a#");
  await write("events and a recipient", [...many("event#1#a#"), "recipient#r"]);
  await write("only counts", ["usage#aliases", "usage#recipients"]);
  await write("only tallies", ["tally#a\t0", "tally#a\t1"]);
  await write("only attachments", ["attachment#1#r#a"]);
  store = openStore(dynamo().client(meter.endpoint), table);
}, 120_000);
afterAll(async () => {
  store.close();
  await meter.close();
});

test("lists each account once, except those that have only events, tallies, counts or attachments, in pages of bounded cost", async () => {
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
