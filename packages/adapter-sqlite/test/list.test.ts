import { type SqliteStore, sqliteStore } from "@postern/adapter-sqlite";
import { type Alias, type AliasId, NO_LIMITS } from "@postern/core";
import { AliasFilter, type Page } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { beforeAll, expect, test } from "vitest";
import { ACCOUNT, aliasNumber, NOW, recipientNumber } from "./support/samples.ts";

/** Several times as many as a search compares before it asks the index. */
const MANY = 1_100;

let store: SqliteStore;
/** Newest first. */
const all: Alias[] = [];

beforeAll(async () => {
  store = valueOf(sqliteStore({ path: ":memory:", clock: { now: () => NOW } }));
  const recipients = [recipientNumber(0), recipientNumber(1)];
  for (const recipient of recipients) valueOf(await store.recipients.create(recipient, NO_LIMITS));
  for (let n = 0; n < MANY; n += 1) {
    const alias = { ...aliasNumber(n, recipients.slice(n % 2)), active: n % 3 === 0 };
    valueOf(await store.aliases.create(alias, NO_LIMITS));
    all.unshift(alias);
  }
  return () => store.close();
});

const pagesOf = async (limit: number, filter: AliasFilter): Promise<readonly Page<Alias, AliasId>[]> => {
  const pages: Page<Alias, AliasId>[] = [];
  let after: AliasId | null = null;
  do {
    const page: Page<Alias, AliasId> = valueOf(await store.aliases.list(ACCOUNT, { limit, after }, filter));
    pages.push(page);
    after = page.next;
  } while (after !== null);
  return pages;
};

test.for<[limit: number, filter: AliasFilter]>([
  [7, { deleted: false, q: "shop 5" }],
  [100, { deleted: false, q: "shop" }],
  [1, { deleted: false, q: "shop 1" }],
  [10, { deleted: false, q: "nothing" }],
  [3, { deleted: false, q: "alias-7", active: false, recipient: recipientNumber(0).id }],
  [100, { deleted: false, active: true, recipient: recipientNumber(1).id }],
  [100, { deleted: true, q: "shop" }],
  [100, { deleted: true, recipient: recipientNumber(1).id }],
])("lists all matching aliases in full pages of %d: %o", async ([limit, filter]) => {
  const pages = await pagesOf(limit, filter);
  const matching = all.filter((alias) => AliasFilter.matches(alias, filter));
  expect(pages.flatMap(({ items }) => items)).toEqual(matching);
  for (const { items } of pages.slice(0, -1)) expect(items).toHaveLength(limit);
  expect(pages.at(-1)?.items.length).toBeLessThanOrEqual(limit);
});

test.for<AliasFilter>([
  { deleted: false },
  { deleted: false, active: true },
  { deleted: false, recipient: recipientNumber(1).id },
])("every page but the last is full if there is no search text: %o", async (filter) => {
  const pages = await pagesOf(100, filter);
  for (const { items } of pages.slice(0, -1)) expect(items).toHaveLength(100);
  expect(pages.at(-1)?.items).not.toHaveLength(0);
});

test("a page shows the account at one moment, even if an erasure is requested meanwhile", async () => {
  const before = await pagesOf(40, { deleted: false });
  const reading = store.aliases.list(ACCOUNT, { limit: 40, after: null }, { deleted: false });
  const last = before[0]?.items.at(-1) ?? expect.unreachable("there are more");
  const erasing = store.aliases.erase(last);
  expect(valueOf(await reading)).toEqual(before[0]);
  expect((await erasing).isOk()).toBe(true);
});
