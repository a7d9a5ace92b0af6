import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { Contact, isNonEmpty, NO_LIMITS, parseContactId, parseEmailAddress } from "@postern/core";
import type { AliasKey, Difference, Encounter } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { contactKeys, leadsTo } from "../src/contact-item.ts";
import { CONTACTS_AT_ONCE } from "../src/delete-contacts.ts";
import { Key } from "../src/table.ts";
import { type Item, putAll, scan, setAttribute } from "./support/items.ts";
import { type OpenStore, openStore } from "./support/open-store.ts";
import { ACCOUNT, alias, NOW, recipient } from "./support/samples.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

const { dynamo, documents } = useDynamoDb();
let table: string;
let store: OpenStore;

const home = recipient("home");
const [shop, news] = [alias("shop", [home]), alias("news", [home])];

beforeEach(async () => {
  table = await dynamo().newTable();
  store = openStore(dynamo().client(), table, { timeoutMs: 60_000 });
  valueOf(await store.recipients.create(home, NO_LIMITS));
  for (const each of [shop, news]) valueOf(await store.aliases.create(each, NO_LIMITS));
});
afterEach(() => store.close());

const HOUR = 60 * 60_000;

/** Encounter number `n` with an alias: its id and address follow from the number. */
const encounter = (of: AliasKey, n: number, kind: Encounter["kind"] = "received"): Encounter => ({
  id: valueOf(
    parseContactId(
      `${of.id}${[...String(n)].map((digit) => "abcdefghij".charAt(Number(digit))).join("")}`.padEnd(26, "z"),
    ),
  ),
  email: valueOf(parseEmailAddress(`Contact-${n}@sender.example`)),
  kind,
  at: NOW + n * HOUR,
});

/** Meets contacts number 0 to `count` - 1, 30 at a time. */
const meetAll = async (of: AliasKey, count: number): Promise<readonly Contact[]> => {
  const contacts: Contact[] = [];
  for (let n = 0; n < count; n += 30) {
    const some = Array.from({ length: Math.min(30, count - n) }, (_, i) => encounter(of, n + i));
    if (!isNonEmpty(some)) break;
    const met = valueOf(await store.contacts.meet(of, some, NO_LIMITS));
    contacts.push(...met.filter((contact) => contact !== null));
  }
  return contacts;
};

const items = () => scan(documents(), table);
const contactItems = async () => (await items()).filter(({ pk, sk }) => /contact/.test(pk + sk));
const countOf = async (of: AliasKey) =>
  (await items()).filter(({ sk }) => sk.startsWith(`contact#${of.id.length}#${of.id}#`)).length;
const content = async (): Promise<ReadonlyMap<string, Item>> =>
  new Map((await items()).map((item) => [`${item.pk} ${item.sk}`, item]));
const remove = async ({ pk, sk }: Key) => {
  await documents().send(new DeleteCommand({ TableName: table, Key: { pk, sk } }));
};

test("a contact has three items, whose keys do not contain its address, and which are removed together", async () => {
  const [contact] = await meetAll(shop, 1);
  expect(contact).toBeDefined();
  const stored = await contactItems();
  expect(stored).toHaveLength(3);
  for (const { pk, sk } of stored) expect(`${pk}${sk}`.toLowerCase()).not.toContain("sender");
  // Another contact takes its place.
  valueOf(await store.contacts.meet(shop, [encounter(shop, 1)], { contacts: 1 }));
  const others = await contactItems();
  expect(others).toHaveLength(3);
  for (const { pk, sk } of others)
    expect(stored.map((item) => `${item.pk} ${item.sk}`)).not.toContain(`${pk} ${sk}`);
  valueOf(await store.aliases.erase(shop));
  expect(await contactItems()).toEqual([]);
});

test("an account is listed because of its aliases, not because of their contacts", async () => {
  await meetAll(shop, 3);
  const accounts = valueOf(await store.accounts({ limit: 10, after: null })).items;
  expect(accounts).toEqual([ACCOUNT]);
});

test("above a limit of 64, contacts are counted only now and then, and the surplus is evicted", async () => {
  const limit = 130;
  await meetAll(shop, limit);
  let most = 0;
  for (let n = 0; n < 40; n += 1) {
    const [met] = valueOf(await store.contacts.meet(shop, [encounter(shop, limit + n)], { contacts: limit }));
    expect(met).not.toBeNull();
    most = Math.max(most, await countOf(shop));
  }
  // On average, every third new contact has them counted; which ones do follows from their ids.
  expect(most).toBeGreaterThan(limit);
  expect(most).toBeLessThan(limit + 20);
  // Adding a contact always has them counted, and those unused the longest are gone.
  valueOf(await store.contacts.meet(shop, [encounter(shop, 999, "added")], { contacts: limit }));
  expect(await countOf(shop)).toBe(limit);
  expect(valueOf(await store.contacts.find(encounter(shop, 0).id))).toBeNull();
  expect(valueOf(await store.contacts.find(encounter(shop, limit).id))).not.toBeNull();
});

test("many contacts are evicted in several calls", async () => {
  const count = 10 * CONTACTS_AT_ONCE + 20;
  await meetAll(shop, count);
  valueOf(await store.contacts.meet(shop, [encounter(shop, count)], { contacts: 2 }));
  expect(await countOf(shop)).toBe(20 + 1);
  valueOf(await store.contacts.meet(shop, [encounter(shop, count + 1)], { contacts: 2 }));
  expect(await countOf(shop)).toBe(2);
});

describe("erasing an alias with many contacts", () => {
  test("removes them all, and none of another alias", async () => {
    const others = await meetAll(news, 3);
    await meetAll(shop, 2 * CONTACTS_AT_ONCE + 1);
    valueOf(await store.aliases.erase(shop));
    expect(await contactItems()).toHaveLength(3 * others.length);
    expect(valueOf(await store.contacts.list(news, { limit: 10, after: null })).items).toHaveLength(3);
  });

  test("can be interrupted at any time: the next call continues", async () => {
    const contacts = await meetAll(shop, 6 * CONTACTS_AT_ONCE);
    let interrupted = 0;
    for (let timeLeft = 1; ; timeLeft *= 1.5) {
      const erased = await store.aliases.erase(shop, timeLeft);
      if (erased.isOk()) break;
      expect(erased.error.code).toBe("unavailable");
      interrupted += 1;
      // While contacts are left, so is their alias, unless the last step was cut off.
      const { alias: found } = valueOf(await store.aliases.findWithRecipients(ACCOUNT, shop.id, []));
      if (found === null) break;
      expect(found).toEqual(shop);
    }
    expect(interrupted).toBeGreaterThan(0);
    expect(await contactItems()).toEqual([]);
    for (const { id } of contacts.slice(0, 5)) expect(valueOf(await store.contacts.find(id))).toBeNull();
  });
});

describe("store check", () => {
  const differences = async (): Promise<readonly Difference[]> => {
    const found: Difference[] = [];
    for await (const difference of store.differences(() => {})) found.push(valueOf(difference));
    return found;
  };
  const check = async () =>
    (await differences())
      .map(({ kind, alias, stored, right, remedy }) => ({ kind, alias, stored, right, by: remedy.by }))
      .toSorted((a, b) => (a.stored < b.stored ? -1 : 1));
  const repair = async () => {
    for (const { remedy } of await differences()) {
      if (remedy.by === "repair") expect(["repaired", "gone"]).toContain(valueOf(await remedy.repair()));
    }
  };

  test("finds nothing wrong with contacts that were only ever changed by stores", async () => {
    await meetAll(shop, 3);
    await meetAll(news, 40);
    const before = await content();
    expect(await check()).toEqual([]);
    await repair();
    expect(await content()).toEqual(before);
  });

  test("finds contacts without an alias, which nothing returns, and a repair removes them", async () => {
    const kept = await meetAll(news, 1);
    const contacts = await meetAll(shop, 2);
    const left = await contactItems();
    valueOf(await store.aliases.erase(shop));
    // As if the erasure had been interrupted right after the alias was erased.
    await putAll(
      documents(),
      table,
      left.filter((item) => !kept.some(({ id }) => item.pk.endsWith(id))),
    );
    for (const { id } of contacts) expect(valueOf(await store.contacts.find(id))).toBeNull();
    expect(valueOf(await store.contacts.list(shop, { limit: 10, after: null })).items).toEqual([]);
    expect(valueOf(await store.contacts.listOfAccount(ACCOUNT, { limit: 10, after: null })).items).toEqual(
      kept,
    );
    const wrong = {
      kind: "leftover",
      alias: "shop",
      stored: "a contact",
      right: "none without an alias",
      by: "repair",
    };
    expect(await check()).toEqual([wrong, wrong]);
    await repair();
    expect(await check()).toEqual([]);
    expect(await contactItems()).toHaveLength(3);
  });

  test("finds contacts that lack an item that leads to them, and a repair adds it", async () => {
    const [one, two] = await meetAll(shop, 2);
    if (one === undefined || two === undefined) expect.unreachable("two were met");
    const before = await content();
    const [, position] = contactKeys(one);
    const [, , id] = contactKeys(two);
    await remove(position);
    await remove(id);
    expect(valueOf(await store.contacts.find(two.id))).toBeNull();
    const wrong = {
      kind: "contact",
      alias: "shop",
      stored: "1 of 2 items lead to a contact",
      right: "both",
      by: "repair",
    };
    expect(await check()).toEqual([wrong, wrong]);
    await repair();
    expect(await check()).toEqual([]);
    expect(await content()).toEqual(before);
  });

  test("finds items that lead to no contact, and a repair removes them", async () => {
    const [one] = await meetAll(shop, 1);
    if (one === undefined) expect.unreachable("one was met");
    const before = await content();
    const gone = { ...Contact.meet(shop, encounter(shop, 7)) };
    const moved = { ...one, createdAt: NOW - 1 };
    await putAll(documents(), table, [...leadsTo(gone), leadsTo(moved)[0]]);
    const wrong = {
      kind: "leftover",
      alias: "shop",
      stored: "an item that leads to a contact",
      right: "none without the contact",
      by: "repair",
    };
    expect(await check()).toEqual([wrong, wrong, wrong]);
    await repair();
    expect(await content()).toEqual(before);
  });

  test("reports items that do not parse, and two contacts with one id", async () => {
    const [one, two] = await meetAll(shop, 2);
    if (one === undefined || two === undefined) expect.unreachable("two were met");
    await setAttribute(documents(), table, contactKeys(one)[0], "blocking", "sometimes");
    await setAttribute(documents(), table, Key.contactId(two.id), "email", one.email);
    const found = await check();
    expect(found).toContainEqual(expect.objectContaining({ kind: "unreadable", by: "operator" }));
    expect(found).toContainEqual(
      expect.objectContaining({ kind: "contact", stored: "a contact with an id that leads to another one" }),
    );
    await setAttribute(documents(), table, contactKeys(one)[1], "email", "nobody");
    expect((await check()).filter(({ kind }) => kind === "unreadable")).toHaveLength(2);
  });
});
