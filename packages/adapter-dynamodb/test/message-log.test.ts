import { LOG_RETENTION, LoggedMessage, NO_LIMITS } from "@postern/core";
import type { AliasKey } from "@postern/core/store";
import { failureOf, testMessage, valueOf } from "@postern/core/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { putMessage } from "../src/message-item.ts";
import { Key } from "../src/table.ts";
import { faultProxy } from "./support/fault-proxy.ts";
import { BRIEF_FAULTS } from "./support/fault-proxy-faults.ts";
import { inTurn, on } from "./support/fault-proxy-plans.ts";
import { putAll, scan, setAttribute } from "./support/items.ts";
import { type OpenStore, openStore } from "./support/open-store.ts";
import { ACCOUNT, alias, recipient } from "./support/samples.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

const { dynamo, documents } = useDynamoDb();
let table: string;
let store: OpenStore;

const home = recipient("home");
const [shop, news] = [alias("shop", [home]), alias("news", [home])];
/** DynamoDB Local deletes items that have expired by the clock of the machine. */
const NOW = Date.now();

beforeEach(async () => {
  table = await dynamo().newTable();
  store = openStore(dynamo().client(), table, { timeoutMs: 60_000 });
  valueOf(await store.recipients.create(home, NO_LIMITS));
  for (const each of [shop, news]) valueOf(await store.aliases.create(each, NO_LIMITS));
});
afterEach(() => store.close());

const items = () => scan(documents(), table);
const messageItems = async () => (await items()).filter(({ sk }) => sk.startsWith("message#"));
const log = async (of: AliasKey, fields: Partial<LoggedMessage> = {}): Promise<LoggedMessage> => {
  const message = testMessage(of, { at: NOW, ...fields });
  valueOf(await store.messageLog.save(message, NO_LIMITS));
  return message;
};
const listed = async (of: AliasKey) =>
  valueOf(await store.messageLog.list(of, { limit: 100, after: null })).items;
const keyOf = (message: LoggedMessage) =>
  Key.message(message.account, message.alias, LoggedMessage.position(message));

test("a message is one item, whose key reveals nothing about it, and which expires 30 days after it arrived", async () => {
  const message = await log(shop, { subject: "Your order", revision: 2 });
  const [item, ...others] = await messageItems();
  expect(others).toEqual([]);
  expect(`${item?.pk}${item?.sk}`).not.toMatch(/bob|home|order/i);
  expect(item?.["expires"]).toBe(Math.ceil((message.at + LOG_RETENTION) / 1000));
});

test("an account is listed because of its aliases, not because of messages left in their logs", async () => {
  const accounts = async () => valueOf(await store.accounts({ limit: 10, after: null })).items;
  for (let n = 0; n < 3; n += 1) await log(shop, { at: NOW + n });
  expect(await accounts()).toEqual([ACCOUNT]);
  for (const each of [shop, news]) valueOf(await store.aliases.erase(each));
  valueOf(await store.recipients.remove(home));
  await log(shop);
  expect(await messageItems()).toHaveLength(1);
  expect(await accounts()).toEqual([]);
});

test("an erasure that cannot delete all of a long log leaves the alias, and the next one continues", async () => {
  await log(news);
  const messages = Array.from({ length: 250 }, (_, n) => testMessage(shop, { at: NOW + n }));
  await putAll(
    documents(),
    table,
    messages.map((message) => putMessage(message).Item),
  );
  const proxy = await faultProxy(dynamo().endpoint);
  const faulty = openStore(dynamo().client(proxy.endpoint), table, { timeoutMs: 3_000 });
  // The first 99 are deleted.
  let transactions = 0;
  proxy.follow((operation) => {
    if (operation !== "TransactWriteItems") return null;
    transactions += 1;
    return transactions === 1 ? null : "internal error";
  });
  expect(failureOf(await faulty.aliases.erase(shop)).code).toBe("unavailable");
  faulty.close();
  await proxy.close();
  expect(await messageItems()).toHaveLength(152);
  expect(await store.aliases.findByEmail(shop.email)).toMatchObject({ value: { id: shop.id } });
  valueOf(await store.aliases.erase(shop));
  expect((await messageItems()).map(({ sk }) => sk)).toEqual([expect.stringContaining("#news#")]);
});

test("a long log, of which only the newest messages are marked, is shortened in several calls", async () => {
  const count = 700;
  const old = Array.from({ length: count }, (_, n) => testMessage(shop, { at: NOW - count + n }));
  await putAll(
    documents(),
    table,
    old.map((message) => putMessage(message).Item),
  );
  await log(news, { at: NOW - count });
  const limits = { loggedMessagesOfAlias: 2, loggedMessages: 0 };
  const left: number[] = [];
  for (let n = 0; n < 6; n += 1) {
    valueOf(await store.messageLog.save(testMessage(shop, { at: NOW + n }), limits));
    left.push((await messageItems()).length - 1);
  }
  // 297 for each mark, which stays until nothing is left that is older.
  expect(left).toEqual([701, 702, 406, 2, 2, 2]);
  expect((await listed(shop)).map(({ at }) => at)).toEqual([NOW + 5, NOW + 4]);
  expect(await listed(news)).toHaveLength(1);
  const marks = (await items()).filter(({ sk }) => sk.startsWith("message-mark#"));
  expect(marks).toHaveLength(2);
  for (const { pk, sk } of marks) expect(`${pk}${sk}`).not.toMatch(/bob|home/i);
});

test("marks of an erased alias count until they are too old", async () => {
  const limits = { loggedMessagesOfAlias: 0, loggedMessages: 2 };
  const save = async (of: AliasKey, n: number) =>
    valueOf(await store.messageLog.save(testMessage(of, { at: NOW + n }), limits));
  for (const n of [1, 2]) await save(shop, n);
  valueOf(await store.aliases.erase(shop));
  for (const n of [3, 4]) await save(news, n);
  expect(await listed(news)).toHaveLength(2);
  const marks = (await items()).filter(({ sk }) => sk.startsWith("message-mark#"));
  expect(marks.map(({ alias }) => alias)).toEqual(["news", "news"]);
});

test("a refused erasure deletes nothing from the log", async () => {
  const message = await log(shop);
  expect(failureOf(await store.aliases.erase({ ...shop, version: 2 }))).toEqual({ code: "conflict" });
  expect(await listed(shop)).toEqual([message]);
});

test.for(BRIEF_FAULTS)("a message is saved once if the first request meets this fault: %s", async (fault) => {
  const proxy = await faultProxy(dynamo().endpoint);
  const faulty = openStore(dynamo().client(proxy.endpoint), table);
  proxy.follow(on("PutItem", inTurn(fault)));
  const message = testMessage(shop, { at: NOW });
  expect(await faulty.messageLog.save(message, NO_LIMITS)).toHaveProperty("value");
  proxy.follow(on("PutItem", inTurn(fault)));
  const later = { ...message, revision: 2, size: 2 };
  expect(await faulty.messageLog.save(later, NO_LIMITS)).toHaveProperty("value");
  faulty.close();
  await proxy.close();
  expect(await listed(shop)).toEqual([later]);
});

test("a damaged message is reported, and calls that need it are unavailable", async () => {
  const reported: string[] = [];
  const watching = openStore(dynamo().client(), table, { reported });
  const message = await log(shop);
  await setAttribute(documents(), table, keyOf(message), "alias", news.id);
  const { pk, sk } = keyOf(message);
  expect(failureOf(await watching.messageLog.list(shop, { limit: 1, after: null })).code).toBe("unavailable");
  expect(failureOf(await watching.messageLog.find(shop, LoggedMessage.position(message))).code).toBe(
    "unavailable",
  );
  expect(reported).toEqual([`${pk} ${sk}`, `${pk} ${sk}`]);
  watching.close();
});
