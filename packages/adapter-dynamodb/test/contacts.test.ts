import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { type Contact, isNonEmpty, NO_LIMITS, parseContactId, parseEmailAddress } from "@postern/core";
import type { AliasKey, Correspondent } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CONTACTS_AT_ONCE } from "../src/delete-contacts.ts";
import { Key } from "../src/table.ts";
import { scan } from "./support/items.ts";
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

/** Correspondent number `n` with an alias: its id and address follow from the number. */
const correspondent = (of: AliasKey, n: number, kind: Correspondent["kind"] = "received"): Correspondent => ({
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
    const some = Array.from({ length: Math.min(30, count - n) }, (_, i) => correspondent(of, n + i));
    if (!isNonEmpty(some)) break;
    const recorded = valueOf(await store.contacts.record(of, some, NO_LIMITS));
    contacts.push(...recorded.filter((contact) => contact !== null));
  }
  return contacts;
};

const items = () => scan(documents(), table);
const contactItems = async () => (await items()).filter(({ pk, sk }) => /contact/.test(pk + sk));
const countOf = async (of: AliasKey) =>
  (await items()).filter(({ sk }) => sk.startsWith(`contact#${of.id.length}#${of.id}#`)).length;

test("a contact has three items, whose keys do not contain its address, and which are removed together", async () => {
  const [contact] = await meetAll(shop, 1);
  expect(contact).toBeDefined();
  const stored = await contactItems();
  expect(stored).toHaveLength(3);
  for (const { pk, sk } of stored) expect(`${pk}${sk}`.toLowerCase()).not.toContain("sender");
  // Another contact takes its place.
  valueOf(await store.contacts.record(shop, [correspondent(shop, 1)], { contacts: 1 }));
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
    const [recorded] = valueOf(
      await store.contacts.record(shop, [correspondent(shop, limit + n)], { contacts: limit }),
    );
    expect(recorded).not.toBeNull();
    most = Math.max(most, await countOf(shop));
  }
  // On average, every third new contact has them counted; which ones do follows from their ids.
  expect(most).toBeGreaterThan(limit);
  expect(most).toBeLessThan(limit + 20);
  // Adding a contact always has them counted, and those unused the longest are gone.
  valueOf(await store.contacts.record(shop, [correspondent(shop, 999, "added")], { contacts: limit }));
  expect(await countOf(shop)).toBe(limit);
  expect(valueOf(await store.contacts.find(correspondent(shop, 0).id))).toBeNull();
  expect(valueOf(await store.contacts.find(correspondent(shop, limit).id))).not.toBeNull();
});

test("many contacts are evicted in several calls", async () => {
  const count = 10 * CONTACTS_AT_ONCE + 20;
  await meetAll(shop, count);
  valueOf(await store.contacts.record(shop, [correspondent(shop, count)], { contacts: 2 }));
  expect(await countOf(shop)).toBe(20 + 1);
  valueOf(await store.contacts.record(shop, [correspondent(shop, count + 1)], { contacts: 2 }));
  expect(await countOf(shop)).toBe(2);
});

test("an alias that is deleted between the read and the write of a recording gets no contacts", async () => {
  const [known] = await meetAll(shop, 1);
  for (const added of [correspondent(shop, 0, "added"), correspondent(news, 1, "added")]) {
    const of = added.id.startsWith(shop.id) ? shop : news;
    const client = dynamo().client();
    const slow = openStore(client, table, { timeoutMs: 60_000 });
    let deletion: Promise<unknown> | undefined;
    client.middlewareStack.add((next, { commandName }) => async (args) => {
      if (commandName?.startsWith("TransactWrite")) {
        deletion ??= store.aliases.save(of, { ...of, deletedAt: NOW, version: 2 });
        await deletion;
      }
      return next(args);
    });
    const recorded = await slow.contacts.record(of, [added], NO_LIMITS);
    expect(deletion).toBeDefined();
    expect(recorded).toMatchObject({ error: { code: "alias_deleted" } });
    const { items: left } = valueOf(await store.contacts.list(of, { limit: 10, after: null }));
    expect(left).toEqual(of === shop ? [known] : []);
    slow.close();
  }
});

test("contacts whose alias is gone are not found", async () => {
  const [contact] = await meetAll(shop, 1);
  if (contact === undefined) throw new Error("the contact was not stored");
  const found = async () => [
    ...valueOf(await store.contacts.findByEmails(shop, [contact.email])),
    ...valueOf(await store.contacts.list(shop, { limit: 1, after: null })).items,
    valueOf(await store.contacts.find(contact.id)),
  ];
  expect(await found()).toEqual([contact, contact, contact]);
  await documents().send(new DeleteCommand({ TableName: table, Key: { ...Key.alias(ACCOUNT, shop.id) } }));
  expect(await found()).toEqual([null]);
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
