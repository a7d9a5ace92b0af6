import { type SqliteStore, sqliteStore } from "@postern/adapter-sqlite";
import { type Alias, AliasFilter, type AliasId, NO_LIMITS, type Page } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { beforeAll, expect, test } from "vitest";
import { ACCOUNT, aliasNumber, NOW, recipientNumber } from "./support/samples.ts";

/** Several times as many as a search reads in one batch. */
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
])("lists all matches in pages of %d, each full except the last: %o", async ([limit, filter]) => {
  const pages = await pagesOf(limit, filter);
  expect(pages.flatMap(({ items }) => items)).toEqual(
    all.filter((alias) => AliasFilter.matches(alias, filter)),
  );
  for (const { items } of pages.slice(0, -1)) expect(items).toHaveLength(limit);
});

test("a search through many aliases yields to other work", async () => {
  const order: string[] = [];
  const searching = store.aliases
    .list(ACCOUNT, { limit: 1, after: null }, { deleted: false, q: "nothing" })
    .then(() => order.push("searched"));
  const other = new Promise<void>((resolve) => setImmediate(resolve)).then(() => order.push("other"));
  await Promise.all([searching, other]);
  expect(order).toEqual(["other", "searched"]);
});
