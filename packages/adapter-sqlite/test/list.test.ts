import { type SqliteStore, sqliteStore } from "@postern/adapter-sqlite";
import type { AliasId, Page } from "@postern/core";
import { type Alias, AliasFilter } from "@postern/core";
import { beforeAll, expect, test } from "vitest";
import { ACCOUNT, aliasNumber, NOW, recipientNumber } from "./support/samples.ts";

/** More than are looked through at once, several times over. */
const MANY = 1_100;

let store: SqliteStore;
const kept: Alias[] = [];

beforeAll(async () => {
  store = sqliteStore({ path: ":memory:", clock: { now: () => NOW } })._unsafeUnwrap();
  const recipients = [recipientNumber(0), recipientNumber(1)];
  for (const recipient of recipients) (await store.recipients.create(recipient))._unsafeUnwrap();
  for (let n = 0; n < MANY; n += 1) {
    const alias = { ...aliasNumber(n, recipients.slice(n % 2)), active: n % 3 === 0 };
    (await store.aliases.create(alias))._unsafeUnwrap();
    kept.unshift(alias);
  }
  return () => store.close();
});

const pagesOf = async (limit: number, filter: AliasFilter): Promise<readonly Page<Alias, AliasId>[]> => {
  const pages: Page<Alias, AliasId>[] = [];
  let after: AliasId | null = null;
  do {
    const page: Page<Alias, AliasId> = (
      await store.aliases.list(ACCOUNT, { limit, after }, filter)
    )._unsafeUnwrap();
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
])(
  "of many aliases, in pages of %d, all that match %o are listed, and each page but the last is full",
  async ([limit, filter]) => {
    const pages = await pagesOf(limit, filter);
    expect(pages.flatMap(({ items }) => items)).toEqual(
      kept.filter((alias) => AliasFilter.matches(alias, filter)),
    );
    for (const { items } of pages.slice(0, -1)) expect(items).toHaveLength(limit);
  },
);

test("looking through many aliases lets other calls have their turn", async () => {
  const order: string[] = [];
  const searching = store.aliases
    .list(ACCOUNT, { limit: 1, after: null }, { deleted: false, q: "nothing" })
    .then(() => order.push("searched"));
  const other = new Promise<void>((resolve) => setImmediate(resolve)).then(() => order.push("other"));
  await Promise.all([searching, other]);
  expect(order).toEqual(["other", "searched"]);
});
