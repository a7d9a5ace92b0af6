import { BatchWriteCommand, DeleteCommand } from "@aws-sdk/lib-dynamodb";
import {
  type Alias,
  NO_LIMITS,
  parseAliasId,
  parseEmailAddress,
  parseEventId,
  type Store,
} from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { runsWhole } from "@postern/test-support/runs-whole";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Key, SCHEMA } from "../src/table.ts";
import { faultProxy } from "./support/fault-proxy.ts";
import { always, on } from "./support/fault-proxy-plans.ts";
import { putAll, scan } from "./support/items.ts";
import { type OpenStore, openStore } from "./support/open-store.ts";
import { ACCOUNT, alias, recipient } from "./support/samples.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

const owner = recipient("owner");
const other = recipient("other");
const shop = alias("shop", [owner, other]);
const event = (n: number) =>
  ({ id: valueOf(parseEventId(`event-${n}`)), outcome: "sent", at: Date.now() }) as const;

const { dynamo, documents } = useDynamoDb();
let table: string;
let store: OpenStore;

beforeEach(async () => {
  table = await dynamo().newTable();
  store = openStore(dynamo().client(), table);
  for (const each of [owner, other]) valueOf(await store.recipients.create(each, NO_LIMITS));
  valueOf(await store.aliases.create(shop, NO_LIMITS));
});
afterEach(() => store.close());

const items = () => scan(documents(), table);
const events = async () => (await items()).filter(({ sk }) => sk.startsWith("event#"));

/** Stores events as if they had been counted for the alias. */
const addEvents = async ({ account, id }: Alias, count: number) => {
  const expires = Math.ceil(Date.now() / 1000) + 60 * 60;
  const added = Array.from({ length: count }, (_, n) => ({
    ...Key.event(account, id, event(n).id),
    schema: SCHEMA,
    expires,
  }));
  await putAll(documents(), table, added);
};

const accounts = async () => valueOf(await store.accounts({ limit: 10, after: null })).items;

test("only the address remains, with no data about the alias that had it", async () => {
  valueOf(await store.aliases.recordOutcome(shop, event(1)));
  valueOf(await store.aliases.erase(shop));
  const remaining = await items();
  expect(remaining.filter(({ pk }) => pk !== "account#account")).toEqual(
    expect.arrayContaining([
      { ...Key.address(shop.email), schema: 1, retired: true },
      { ...Key.retired(shop.email), schema: 1, email: "shop@alias.example" },
    ]),
  );
  // Two recipients with their addresses, and their count.
  expect(remaining).toHaveLength(2 + 4 + 1);
  expect(remaining.flatMap(({ sk }) => (/recipient/.test(sk) ? [] : [sk]))).toHaveLength(2);
  expect(valueOf(await store.recipients.findAll(ACCOUNT, [owner.id, other.id]))).toMatchObject([
    { attached: 0 },
    { attached: 0 },
  ]);
});

test("deletes only the events of that alias, even if its id is a prefix of another one", async () => {
  const other = alias("shop#1", [owner]);
  valueOf(await store.aliases.create(other, NO_LIMITS));
  for (const each of [shop, other]) await addEvents(each, 120);
  valueOf(await store.aliases.erase(shop));
  expect((await events()).map(({ sk }) => sk).every((sk) => sk.startsWith("event#6#shop#1#"))).toBe(true);
  expect(await events()).toHaveLength(120);
});

describe("events left behind", () => {
  beforeEach(async () => {
    await addEvents(shop, 730);
    valueOf(await store.aliases.erase(shop));
  });

  test("are those beyond the first 500, and expire", async () => {
    const left = await events();
    expect(left).toHaveLength(230);
    for (const item of left) expect(item["expires"]).toBeGreaterThan(0);
  });

  test("do not count as an account", async () => {
    expect(await accounts()).toEqual(["account"]);
    for (const each of valueOf(await store.recipients.list(ACCOUNT, { limit: 10, after: null })).items) {
      valueOf(await store.recipients.remove(each));
    }
    expect(await accounts()).toEqual([]);
  });

  test("do not count for an erased alias", async () => {
    expect(failureOf(await store.aliases.recordOutcome(shop, event(1_000)))).toEqual({
      code: "alias_not_found",
    });
    expect(await store.aliases.recordOutcome(shop, event(729))).not.toMatchObject({ value: "recorded" });
    expect(await events()).toHaveLength(230);
  });
});

test.for(["Query", "TransactWriteItems"])(
  "an alias is erased even if its events cannot be deleted because every later %s fails",
  async (operation) => {
    await addEvents(shop, 30);
    // Erasing the only alias would take two transactions.
    valueOf(await store.aliases.create(alias("news", [owner]), NO_LIMITS));
    const proxy = await faultProxy(dynamo().endpoint);
    const faulty = openStore(dynamo().client(proxy.endpoint), table, { timeoutMs: 1_500 });
    let transactions = 0;
    proxy.follow((requested) => {
      if (requested === "TransactWriteItems") transactions += 1;
      // The first transaction erases the alias; before it come queries for contacts and messages, without which it is not erased.
      if (transactions === 0 || (operation === "TransactWriteItems" && transactions === 1)) return null;
      return on(operation, always("internal error"))(requested);
    });
    expect(await faulty.aliases.erase(shop)).toHaveProperty("value");
    faulty.close();
    await proxy.close();
    expect(await events()).toHaveLength(30);
    expect(await store.aliases.findByEmail(shop.email)).toMatchObject({ value: null });
  },
);

test("a refused erasure deletes no events", async () => {
  await addEvents(shop, 3);
  expect(failureOf(await store.aliases.erase({ ...shop, version: 2 }))).toEqual({ code: "conflict" });
  expect(await events()).toHaveLength(3);
});

test("an erasure never retires the address of another alias", async () => {
  const news = alias("news", [owner]);
  valueOf(await store.aliases.create(news, NO_LIMITS));
  expect(failureOf(await store.aliases.erase({ ...shop, email: news.email }))).toEqual({ code: "conflict" });
  expect(await store.aliases.findByEmail(news.email)).toMatchObject({ value: { id: news.id } });
});

test("findByEmail returns null if the alias is erased between its two reads", async () => {
  const { pk, sk } = Key.alias(shop.account, shop.id);
  await documents().send(new DeleteCommand({ TableName: table, Key: { pk, sk } }));
  expect(await store.aliases.findByEmail(shop.email)).toMatchObject({ value: null });
});

test("an event reported by the address of an erased alias is alias_not_found", async () => {
  valueOf(await store.aliases.erase(shop));
  const reported = await store.aliases.recordOutcome({ email: shop.email }, event(1));
  expect(failureOf(reported)).toEqual({ code: "alias_not_found" });
});

test("however erasure, saves and reports interleave, the erased alias leaves only its address", async () => {
  type Call = (store: Store, target: Alias) => Promise<{ isOk(): boolean }>;
  const call: fc.Arbitrary<Call> = fc.oneof(
    fc.constant<Call>(({ aliases }, target) =>
      aliases.save(target, { ...target, description: "saved", version: target.version + 1 }),
    ),
    fc.nat(9).map(
      (n): Call =>
        ({ aliases }, { account, id }) =>
          aliases.recordOutcome({ account, id }, event(n)),
    ),
    fc.nat(9).map(
      (n): Call =>
        ({ aliases }, { email }) =>
          aliases.recordOutcome({ email }, event(n)),
    ),
    fc.constant<Call>(({ aliases }, { email }) => aliases.findByEmail(email)),
  );
  const second = openStore(dynamo().client(), table);
  let serial = 0;
  let erasures = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(call, { maxLength: 4 }),
      fc.array(call, { maxLength: 4 }),
      async (before, after) => {
        serial += 1;
        const target = alias(`target-${String(serial).padStart(3, "0")}`, [owner]);
        valueOf(await store.aliases.create(target, NO_LIMITS));
        const erase: Call = ({ aliases }, each) => aliases.erase(each);
        const calls = [...before, erase, ...after];
        const made = await Promise.all(calls.map((run, i) => run(i % 2 === 0 ? store : second, target)));
        const own = (await items()).filter(
          ({ pk, sk }) => pk === Key.address(target.email).pk || sk.includes(`#${target.id}`),
        );
        if (made[before.length]?.isOk()) {
          erasures += 1;
          expect(own).toEqual([{ ...Key.address(target.email), schema: 1, retired: true }]);
        } else {
          // A save won: the alias is intact, and can be erased at its current version.
          const found = valueOf(await store.aliases.findByEmail(target.email));
          expect(found).toMatchObject({ id: target.id, description: "saved", version: 2 });
        }
      },
    ),
    // A save mostly wins, because an erasure looks for contacts first.
    { numRuns: runsWhole(import.meta.url) ? 50 : 10, examples: [[[], []]] },
  );
  expect(erasures).toBeGreaterThan(0);
  second.close();
});

describe("retired addresses", () => {
  const addresses = Array.from({ length: 7 }, (_, n) => alias(`retired-${n}`, [owner]).email);

  test("are listed page by page, each once, whether erased or imported", async () => {
    valueOf(await store.aliases.erase(shop));
    for (const email of addresses) valueOf(await store.aliases.retireAddress(email));
    for (const limit of [1, 3, 8, 100]) {
      const listed: string[] = [];
      for (let after: (typeof addresses)[number] | null = null, more = true; more; more = after !== null) {
        const page: { items: readonly (typeof shop.email)[]; next: typeof shop.email | null } = valueOf(
          await store.aliases.listRetiredAddresses({ limit, after }),
        );
        expect(page.items.length).toBeLessThanOrEqual(limit);
        listed.push(...page.items);
        after = page.next;
      }
      expect(listed.toSorted()).toEqual([...addresses, shop.email].toSorted());
    }
  });

  test("cost the same per page, however large the table is", async () => {
    const large = Array.from({ length: 25 }, (_, n) => ({
      PutRequest: { Item: { pk: `address#${n}`, sk: "address", schema: 1, padding: "x".repeat(300_000) } },
    }));
    await Promise.all(
      large.map((request) =>
        documents().send(new BatchWriteCommand({ RequestItems: { [table]: [request] } })),
      ),
    );
    const proxy = await faultProxy(dynamo().endpoint);
    const counted = openStore(dynamo().client(proxy.endpoint), table);
    expect(await counted.aliases.listRetiredAddresses({ limit: 100, after: null })).toMatchObject({
      value: { items: [], next: null },
    });
    expect(proxy.passages.map(({ operation }) => operation)).toEqual(["Query"]);
    counted.close();
    await proxy.close();
  });

  test("are listed once, in lower case, no matter how often and in which case they are retired", async () => {
    const mixed = alias("Mixed-Case", [owner]).email;
    for (const email of [valueOf(parseEmailAddress(mixed.toLowerCase())), mixed, mixed]) {
      expect(await store.aliases.retireAddress(email)).toHaveProperty("value");
    }
    expect(valueOf(await store.aliases.listRetiredAddresses({ limit: 10, after: null }))).toEqual({
      items: ["mixed-case@alias.example"],
      next: null,
    });
  });

  test("cannot belong to an alias", async () => {
    const upper = alias("SHOP", [owner]).email;
    for (const email of [shop.email, upper]) {
      expect(failureOf(await store.aliases.retireAddress(email))).toEqual({ code: "address_taken" });
    }
    expect(valueOf(await store.aliases.findByEmail(upper))?.id).toBe(shop.id);
    expect(valueOf(await store.aliases.listRetiredAddresses({ limit: 10, after: null })).items).toEqual([]);
  });

  test("are never given to an alias, even if retiring and creating race", async () => {
    for (const [n, email] of addresses.entries()) {
      const created = { ...alias(`created-${n}`, [owner]), email };
      const [retired, taken] = await Promise.all([
        store.aliases.retireAddress(email),
        store.aliases.create(created, NO_LIMITS),
      ]);
      expect([retired.isOk(), taken.isOk()].filter(Boolean)).toHaveLength(1);
      expect(valueOf(await store.aliases.findByEmail(email))?.id).toBe(
        taken.isOk() ? valueOf(parseAliasId(`created-${n}`)) : undefined,
      );
    }
  });
});
