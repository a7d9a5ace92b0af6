import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { AccountId } from "@postern/core";
import type { AccountsCursor, Page } from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountsOf } from "../src/accounts.ts";
import type { Database } from "../src/database.ts";
import { putAll } from "./support/items.ts";
import { type Meter, startMeter } from "./support/meter.ts";
import { openStore } from "./support/open-store.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

/** How many items one request examines. */
const EXAMINED = 10;

/** More than that. */
const MANY = 12;

/** Each is a partition of its own, anywhere in the table. */
const ADDRESSES = 30 * EXAMINED;

const LARGE = Array.from({ length: 12 }, (_, n) => `large-${n}`);

const { dynamo, documents } = useDynamoDb();
let meter: Meter;
let metered: DynamoDBDocumentClient;
let database: Database;

beforeAll(async () => {
  meter = await startMeter(dynamo().endpoint);
  metered = DynamoDBDocumentClient.from(dynamo().client(meter.endpoint));
  const table = await dynamo().newTable();
  const onCorruptItem = () => expect.unreachable("no item is corrupt");
  database = { documents: metered, table, timeoutMs: 30_000, onCorruptItem };
  const write = (account: string, sks: readonly string[]) =>
    putAll(
      documents(),
      table,
      sks.map((sk) => ({ pk: `account#${account}`, sk })),
    );
  const many = (prefix: string, count = MANY) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);
  // Only the keys matter: within a partition, aliases come before attachments, then events, messages, recipients, tallies and counts.
  for (const account of LARGE) await write(account, many("alias#"));
  await write("huge", many("alias#", 5 * MANY));
  await write("only events", many("event#1#a#", 5 * MANY));
  await write("only messages", many("message#1#a#", 5 * MANY));
  await write("events and a recipient", [...many("event#1#a#"), "recipient#r"]);
  await write("only counts", ["usage#aliases", "usage#recipients"]);
  await write("only tallies", ["tally#a\t0", "tally#a\t1"]);
  await write("only attachments", ["attachment#1#r#a"]);
  await write("only search items", ["search#address#0\ta"]);
  await putAll(
    documents(),
    table,
    many("address#", ADDRESSES).map((pk) => ({ pk, sk: "address" })),
  );
});
afterAll(async () => {
  metered.destroy();
  await meter.close();
});

test("lists each account once, in pages of one request, unless it only has items such as events, counts or search items", async () => {
  const found: string[] = [];
  let after: AccountsCursor | null = null;
  let [requests, empty] = [0, 0];
  meter.read();
  do {
    const page: Page<AccountId, AccountsCursor> = valueOf(
      await accountsOf(database, { limit: 100, after }, EXAMINED),
    );
    expect(meter.read()).toHaveLength(1);
    requests += 1;
    empty += Number(page.items.length === 0);
    found.push(...page.items);
    after = page.next;
  } while (after !== null);
  expect(found.toSorted()).toEqual([...LARGE, "huge", "events and a recipient"].toSorted());
  // One per account, because the rest of its partition is skipped, at most two if it has events or messages, and those for the addresses.
  expect(requests).toBeLessThanOrEqual(LARGE.length + 1 + 2 + 2 + 2 + 1 + ADDRESSES / EXAMINED);
  // A page ends where its request did, even if it has found nothing.
  expect(empty).toBeGreaterThan(0);
});

test("a page has no more accounts than requested, and the next one starts with the next account", async () => {
  const found: string[] = [];
  let after: AccountsCursor | null = null;
  do {
    const page: Page<AccountId, AccountsCursor> = valueOf(await accountsOf(database, { limit: 1, after }));
    expect(page.items.length).toBeLessThanOrEqual(1);
    found.push(...page.items);
    after = page.next;
  } while (after !== null);
  expect(found.toSorted()).toEqual([...LARGE, "huge", "events and a recipient"].toSorted());
});

test("the number of items is DynamoDB's estimate, which is exact in DynamoDB Local", async () => {
  const store = openStore(dynamo().client(), database.table);
  // The last one says that the table can be searched.
  const items = (LARGE.length + 5 + 5 + 5 + 1) * MANY + 1 + 2 + 2 + 1 + 1 + ADDRESSES + 1;
  expect(valueOf(await store.estimateItems())).toBe(items);
  store.close();
});

test("a cursor that is not this store's is unavailable", async () => {
  for (const after of ["large-0", "{}", '["account#a"]', ""]) {
    expect(failureOf(await accountsOf(database, { limit: 1, after }))).toEqual({
      code: "unavailable",
      cause: { source: "dynamodb", reason: "not a cursor of this store" },
    });
  }
});
