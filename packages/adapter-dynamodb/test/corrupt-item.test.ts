import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { NO_LIMITS, parseEventId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Key } from "../src/table.ts";
import { setAttribute, withoutTallyItems } from "./support/items.ts";
import { type OpenStore, openStore } from "./support/open-store.ts";
import { ACCOUNT, alias, NOW, recipient } from "./support/samples.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

const owner = recipient("owner");
const shop = alias("shop", [owner]);
const news = alias("news", [owner]);
const PAGE = { limit: 10, after: null };
const UNAVAILABLE = { error: { code: "unavailable" } };
const event = { id: valueOf(parseEventId("1")), outcome: "sent", at: NOW } as const;

const { dynamo, documents } = useDynamoDb();
let table: string;
let store: OpenStore;
const reported: string[] = [];

beforeEach(async () => {
  reported.length = 0;
  table = await dynamo().newTable();
  store = openStore(dynamo().client(), table, { reported });
  valueOf(await store.recipients.create(owner, NO_LIMITS));
  for (const each of [shop, news]) valueOf(await store.aliases.create(each, NO_LIMITS));
});
afterEach(() => store.close());

const corrupt = (pk: string, sk: string, attribute: string, value: unknown) =>
  setAttribute(documents(), table, { pk, sk }, attribute, value);

const find = (id = shop.id) => store.aliases.findWithRecipients(ACCOUNT, id, [owner.id]);
const list = () => store.aliases.list(ACCOUNT, PAGE, { deleted: false });

describe("a corrupt alias is reported and unavailable", () => {
  test.for<readonly [string, unknown]>([
    ["schema", 2],
    ["description", 7],
    ["active", "yes"],
    ["destinations", []],
    ["destinations", [{ recipientId: "owner", email: "nobody" }]],
    ["tallies", { sent: { count: -1, lastAt: null } }],
    ["updatedAt", 1.5],
    ["version", 10n ** 30n],
    ["account", "another"],
    ["id", "another"],
  ])("%s: %o", async ([attribute, value]) => {
    await corrupt("account#account", "alias#shop", attribute, value);
    expect(await find()).toMatchObject(UNAVAILABLE);
    expect(await store.aliases.findByEmail(shop.email)).toMatchObject(UNAVAILABLE);
    expect(reported).toEqual(["account#account alias#shop", "account#account alias#shop"]);
    if (attribute === "active") return; // DynamoDB's filter already excludes it from the list.
    expect(await list()).toMatchObject(UNAVAILABLE);
    expect(await find(news.id)).toHaveProperty("value");
  });

  test("still counts events, in its tally items", async () => {
    await corrupt("account#account", "alias#shop", "schema", 2);
    expect(await store.aliases.recordOutcome(shop, event)).toMatchObject({ value: "recorded" });
    await corrupt("account#account", "alias#shop", "schema", 1);
    expect(await find()).toMatchObject({ value: { alias: { tallies: { sent: { count: 1 } } } } });
  });

  test("gets no tally items, and does not count as missing", async () => {
    await withoutTallyItems(documents(), table, shop);
    await corrupt("account#account", "alias#shop", "schema", 2);
    expect(await store.aliases.recordOutcome(shop, event)).toMatchObject(UNAVAILABLE);
    expect(reported).toEqual(["account#account alias#shop"]);
    await corrupt("account#account", "alias#shop", "schema", 1);
    expect(await store.aliases.recordOutcome(shop, event)).toMatchObject({ value: "recorded" });
  });
});

test("a corrupt attachment item is reported, and the aliases of its recipient are unavailable", async () => {
  const other = recipient("other");
  valueOf(await store.recipients.create(other, NO_LIMITS));
  valueOf(await store.aliases.create(alias("a", [other]), NO_LIMITS));
  await corrupt("account#account", "attachment#5#other#a", "schema", 2);
  const of = (each: typeof owner, limit: number) =>
    store.aliases.list(ACCOUNT, { limit, after: null }, { deleted: false, recipient: each.id });
  expect(await of(other, 1)).toMatchObject(UNAVAILABLE);
  expect(reported).toEqual(["account#account attachment#5#other#a"]);
  expect(valueOf(await of(owner, 2)).items).toHaveLength(2);
});

describe("a corrupt tally item is reported, and its alias is unavailable", () => {
  const counting = Key.tallyOf(ACCOUNT, shop.id, event.id);

  test.for<readonly [string, unknown]>([
    ["schema", 2],
    ["sentCount", -1],
    ["sentCount", 0.5],
    ["sentCount", "1"],
    ["sentAt", "now"],
    ["sentAt", -1],
    ["bouncedAt", NOW],
    ["bouncedCount", 1],
  ])("%s: %o", async ([attribute, value]) => {
    valueOf(await store.aliases.recordOutcome(shop, event));
    await corrupt(counting.pk, counting.sk, attribute, value);
    for (const call of [find, list]) {
      expect(await call()).toMatchObject(UNAVAILABLE);
      expect(reported.splice(0)).toEqual([`${counting.pk} ${counting.sk}`]);
    }
    expect(await find(news.id)).toHaveProperty("value");
    // Mail is still forwarded: it needs no tallies.
    expect(await store.aliases.findByEmail(shop.email)).toMatchObject({ value: { id: shop.id } });
  });

  test.for<readonly [string, unknown, unknown]>([
    ["schema", 2, 1],
    ["events", { apart: "soon" }, {}],
  ])(
    "an event that it would count is unavailable, and is counted once the item is repaired: %s: %o",
    async ([attribute, damaged, repaired]) => {
      await corrupt(counting.pk, counting.sk, attribute, damaged);
      expect(await store.aliases.recordOutcome(shop, event)).toMatchObject(UNAVAILABLE);
      expect(reported).toEqual([`${counting.pk} ${counting.sk}`]);
      await corrupt(counting.pk, counting.sk, attribute, repaired);
      expect(await store.aliases.recordOutcome(shop, event)).toMatchObject({ value: "recorded" });
    },
  );

  test("so is a missing one", async () => {
    const { pk, sk } = counting;
    await documents().send(new DeleteCommand({ TableName: table, Key: { pk, sk } }));
    for (const call of [find, list]) {
      expect(await call()).toMatchObject(UNAVAILABLE);
      expect(reported.splice(0)).toEqual(["account#account alias#shop"]);
    }
    expect(await store.aliases.recordOutcome(shop, event)).toMatchObject(UNAVAILABLE);
    expect(reported).toEqual([`${pk} ${sk}`]);
  });
});

test("an alias with an unknown number of tally items is corrupt", async () => {
  await corrupt("account#account", "alias#shop", "tallyItems", 5);
  expect(await find()).toMatchObject(UNAVAILABLE);
  expect(reported).toEqual(["account#account alias#shop"]);
});

test("a corrupt recipient is reported, and the calls that need it are unavailable", async () => {
  await corrupt("account#account", "recipient#owner", "attached", -1);
  expect(await store.recipients.find(ACCOUNT, owner.id)).toMatchObject(UNAVAILABLE);
  expect(await store.recipients.list(ACCOUNT, PAGE)).toMatchObject(UNAVAILABLE);
  expect(await find()).toMatchObject(UNAVAILABLE);
  expect(new Set(reported)).toEqual(new Set(["account#account recipient#owner"]));
  expect(await list()).toHaveProperty("value");
});

describe("a corrupt address item is reported without the address, and unavailable", () => {
  // SHA-256 of shop@alias.example.
  const hash = "2b39a4ef73efd68e600e2840cece54ba732e807a21d506acf1bca5d8757996c5";

  test.for<readonly [string, unknown]>([
    ["account", 7],
    ["id", ""],
    ["schema", 2],
  ])("%s: %o", async ([attribute, value]) => {
    await corrupt(`address#${hash}`, "address", attribute, value);
    expect(await store.aliases.recordOutcome({ email: shop.email }, event)).toMatchObject(UNAVAILABLE);
    expect(await store.aliases.findByEmail(shop.email)).toMatchObject(UNAVAILABLE);
    expect(reported).toEqual([`address#${hash} address`, `address#${hash} address`]);
    expect(await find()).toHaveProperty("value");
  });

  test("one that leads to an alias with another address", async () => {
    await corrupt(`address#${hash}`, "address", "id", "news");
    expect(await store.aliases.findByEmail(shop.email)).toMatchObject(UNAVAILABLE);
    expect(reported).toEqual([`address#${hash} address`]);
  });

  test.for<readonly [string, unknown]>([
    ["schema", 2],
    ["email", "nobody"],
    ["email", "another@alias.example"],
  ])("one in the list of retired addresses: %s: %o", async ([attribute, value]) => {
    valueOf(await store.aliases.erase(shop));
    await corrupt("retired", `address#${hash}`, attribute, value);
    expect(await store.aliases.listRetiredAddresses(PAGE)).toMatchObject(UNAVAILABLE);
    expect(reported).toEqual([`retired address#${hash}`]);
    expect(await store.aliases.findByEmail(shop.email)).toMatchObject({ value: null });
  });
});

describe("a corrupt suspension is reported and unavailable", () => {
  test.for<readonly [string, unknown]>([
    ["schema", 2],
    ["since", "yesterday"],
    ["since", -1],
    ["since", 1.5],
    ["account", "another"],
  ])("%s: %o", async ([attribute, value]) => {
    valueOf(await store.suspensions.suspend(ACCOUNT, NOW));
    await corrupt("account#account", "suspension", attribute, value);
    expect(await store.suspensions.find(ACCOUNT)).toMatchObject(UNAVAILABLE);
    expect(reported).toEqual(["account#account suspension"]);
  });
});
