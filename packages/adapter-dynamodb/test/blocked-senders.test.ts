import {
  type BlockedSender,
  NO_LIMITS,
  parseBlockedSenderId,
  parseEmailAddress,
  parseSender,
  Sender,
} from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { leadKey, leadTo } from "../src/blocked-sender-item.ts";
import { Key } from "../src/table.ts";
import { putAll, scan, setAttribute } from "./support/items.ts";
import { type OpenStore, openStore } from "./support/open-store.ts";
import { ACCOUNT, alias, NOW, recipient } from "./support/samples.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

const { dynamo, documents } = useDynamoDb();
let table: string;
let store: OpenStore;

beforeEach(async () => {
  table = await dynamo().newTable();
  store = openStore(dynamo().client(), table, { timeoutMs: 60_000 });
});
afterEach(() => store.close());

const blockedSender = (letter: string, sender: string): BlockedSender => ({
  id: valueOf(parseBlockedSenderId(letter.repeat(26))),
  account: ACCOUNT,
  sender: valueOf(parseSender(sender)),
  createdAt: NOW,
});
const [spam, bob, ads] = [
  blockedSender("s", "spam.example"),
  blockedSender("b", "Bob@shop.example"),
  blockedSender("a", "ads.example"),
];

const block = async (...all: readonly BlockedSender[]) => {
  for (const each of all) valueOf(await store.blockedSenders.block(each, NO_LIMITS));
};
const home = recipient("home");
const shop = alias("shop", [home]);
const storeShop = async () => {
  valueOf(await store.recipients.create(home, NO_LIMITS));
  valueOf(await store.aliases.create(shop, NO_LIMITS));
};
const meet = (email: string, on: OpenStore = store) =>
  on.contacts.meet(shop, { author: valueOf(parseEmailAddress(email)), correspondents: [] }, NO_LIMITS);
const isBlocked = async (email: string) => valueOf(await meet(email)).isBlocked;
const listed = async () =>
  valueOf(await store.blockedSenders.list(ACCOUNT, { limit: 100, after: null })).items;

const items = () => scan(documents(), table);
const ownKey = ({ account, id }: BlockedSender) => Key.blockedSender(account, id);

test("a blocked sender has two items, whose keys do not contain it, and which are removed together", async () => {
  await block(spam, bob);
  const stored = await items();
  expect(stored).toHaveLength(4);
  for (const { pk, sk } of stored) expect(`${pk}${sk}`.toLowerCase()).not.toMatch(/spam|shop|bob/);
  valueOf(await store.blockedSenders.unblock(ACCOUNT, spam.id));
  expect(await items()).toHaveLength(2);
  valueOf(await store.blockedSenders.unblock(ACCOUNT, bob.id));
  expect(await items()).toEqual([]);
});

test("an item that leads to no blocked sender prevents blocking its sender until it is repaired", async () => {
  await putAll(documents(), table, [leadTo(spam)]);
  const blocked = await store.blockedSenders.block(bob, NO_LIMITS);
  expect(blocked.isOk()).toBe(true);
  expect(failureOf(await store.blockedSenders.block(spam, NO_LIMITS, 1_000)).code).toBe("unavailable");
  expect(await listed()).toEqual([bob]);
});

test("a blocked sender whose place another one has taken cannot be unblocked until the other one is", async () => {
  await storeShop();
  await block(spam);
  const twin = { ...spam, id: ads.id };
  await putAll(documents(), table, [{ ...twin, ...ownKey(twin), schema: 1 }]);
  expect(failureOf(await store.blockedSenders.unblock(ACCOUNT, twin.id, 1_000)).code).toBe("unavailable");
  expect(await isBlocked("x@spam.example")).toBe(true);
  valueOf(await store.blockedSenders.unblock(ACCOUNT, spam.id));
  expect(await isBlocked("x@spam.example")).toBe(false);
  valueOf(await store.blockedSenders.unblock(ACCOUNT, twin.id));
  expect(await listed()).toEqual([]);
});

test("a damaged item is reported, and the call is unavailable", async () => {
  const reported: string[] = [];
  const watching = openStore(dynamo().client(), table, { reported });
  await storeShop();
  await block(spam);
  await setAttribute(documents(), table, leadKey(spam), "blockedSender", 7);
  expect(failureOf(await meet("x@spam.example", watching)).code).toBe("unavailable");
  expect(reported).toEqual([
    `account#${ACCOUNT} ${Key.blockedSenderLead(ACCOUNT, Sender.key(spam.sender)).sk}`,
  ]);
  watching.close();
});
