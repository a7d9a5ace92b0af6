import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import {
  type BlockedSender,
  NO_LIMITS,
  parseBlockedSenderId,
  parseEmailAddress,
  parseSender,
  Sender,
} from "@postern/core";
import type { Difference } from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { leadKey, leadTo } from "../src/blocked-sender-item.ts";
import { Key } from "../src/table.ts";
import { type Item, putAll, scan, setAttribute } from "./support/items.ts";
import { type OpenStore, openStore } from "./support/open-store.ts";
import { ACCOUNT, NOW } from "./support/samples.ts";
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
const isBlocked = async (email: string) =>
  valueOf(await store.blockedSenders.isBlocked(ACCOUNT, valueOf(parseEmailAddress(email))));
const listed = async () =>
  valueOf(await store.blockedSenders.list(ACCOUNT, { limit: 100, after: null })).items;

const items = () => scan(documents(), table);
const content = async (): Promise<ReadonlyMap<string, Item>> =>
  new Map((await items()).map((item) => [`${item.pk} ${item.sk}`, item]));
const remove = async ({ pk, sk }: Key) => {
  await documents().send(new DeleteCommand({ TableName: table, Key: { pk, sk } }));
};
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

describe("store check", () => {
  const differences = async (): Promise<readonly Difference[]> => {
    const found: Difference[] = [];
    for await (const difference of store.differences(() => {})) found.push(valueOf(difference));
    return found;
  };
  const check = async () =>
    (await differences())
      .map(({ kind, account, stored, right, remedy }) => ({ kind, account, stored, right, by: remedy.by }))
      .toSorted((a, b) => (a.stored < b.stored ? -1 : 1));
  /** Repairs what can be repaired as it is found, like the server's command. */
  const repair = async () => {
    for await (const found of store.differences(() => {})) {
      const { remedy } = valueOf(found);
      if (remedy.by === "repair") expect(["repaired", "gone"]).toContain(valueOf(await remedy.repair()));
    }
  };

  const UNCOMPARED = {
    kind: "blocked-sender",
    account: ACCOUNT,
    stored: "mail is not compared with a blocked sender",
    right: "compared",
    by: "repair",
  };
  const LEFTOVER = {
    kind: "blocked-sender",
    account: ACCOUNT,
    stored: "mail is compared with a sender that is not blocked",
    right: "not compared",
    by: "repair",
  };

  test("finds nothing wrong with a table that was only ever used by stores", async () => {
    await block(spam, bob, ads);
    valueOf(await store.blockedSenders.unblock(ACCOUNT, ads.id));
    const before = await content();
    expect(await check()).toEqual([]);
    await repair();
    expect(await content()).toEqual(before);
  });

  test("finds blocked senders that mail is not compared with, and a repair adds what is missing", async () => {
    await block(spam, bob, ads);
    const before = await content();
    for (const each of [spam, bob]) await remove(leadKey(each));
    expect(await isBlocked("x@spam.example")).toBe(false);
    expect(await check()).toEqual([UNCOMPARED, UNCOMPARED]);
    await repair();
    expect(await isBlocked("x@spam.example")).toBe(true);
    expect(await content()).toEqual(before);
  });

  test("finds items that lead to no blocked sender, or to one with another sender, and a repair removes them", async () => {
    await block(spam);
    const before = await content();
    await putAll(documents(), table, [leadTo(ads), { ...leadTo(bob), blockedSender: spam.id }]);
    expect(await isBlocked("x@ads.example")).toBe(true);
    expect(await check()).toEqual([LEFTOVER, LEFTOVER]);
    await repair();
    expect(await content()).toEqual(before);
    expect(await isBlocked("x@ads.example")).toBe(false);
  });

  test("finds a blocked sender behind an item that leads to nothing, and both are right after one repair", async () => {
    await block(spam);
    const before = await content();
    await setAttribute(documents(), table, leadKey(spam), "blockedSender", ads.id);
    expect(await check()).toEqual([LEFTOVER]);
    await repair();
    expect(await check()).toEqual([]);
    expect(await content()).toEqual(before);
  });

  test("finds a sender that is blocked twice, and a repair leaves one of them", async () => {
    await block(spam);
    const before = await content();
    const twin = { ...spam, id: ads.id };
    await putAll(documents(), table, [{ ...twin, ...ownKey(twin), schema: 1 }]);
    expect(await check()).toEqual([
      {
        kind: "blocked-sender",
        account: ACCOUNT,
        stored: "a sender that is blocked twice",
        right: "once",
        by: "repair",
      },
    ]);
    await repair();
    expect(await content()).toEqual(before);
  });

  test("reports items that do not parse", async () => {
    await block(spam, bob);
    await setAttribute(documents(), table, ownKey(spam), "sender", "spam");
    await setAttribute(documents(), table, leadKey(bob), "blockedSender", "Bob");
    const found = await check();
    expect(found.map(({ kind, by }) => [kind, by])).toEqual([
      ["unreadable", "operator"],
      ["unreadable", "operator"],
    ]);
    const before = await content();
    await repair();
    expect(await content()).toEqual(before);
  });
});

test("an item that leads to no blocked sender prevents blocking its sender until it is repaired", async () => {
  await putAll(documents(), table, [leadTo(spam)]);
  const blocked = await store.blockedSenders.block(bob, NO_LIMITS);
  expect(blocked.isOk()).toBe(true);
  expect(failureOf(await store.blockedSenders.block(spam, NO_LIMITS, 1_000)).code).toBe("unavailable");
  expect(await listed()).toEqual([bob]);
});

test("a blocked sender whose place another one has taken cannot be unblocked until the other one is", async () => {
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
  await block(spam);
  await setAttribute(documents(), table, leadKey(spam), "blockedSender", 7);
  const email = valueOf(parseEmailAddress("x@spam.example"));
  expect(failureOf(await watching.blockedSenders.isBlocked(ACCOUNT, email)).code).toBe("unavailable");
  expect(reported).toEqual([
    `account#${ACCOUNT} ${Key.blockedSenderLead(ACCOUNT, Sender.key(spam.sender)).sk}`,
  ]);
  watching.close();
});
