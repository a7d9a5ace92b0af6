import type { PostgresStore } from "@postern/adapter-postgres";
import { type Alias, type AliasId, NO_LIMITS, parseEmailAddress } from "@postern/core";
import { AliasFilter, type Page } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import {
  ACCOUNT,
  aliasNumber,
  recipientNumber,
  replaced,
} from "../../adapter-sqlite/test/support/samples.ts";
import { openStore, usePostgres } from "./support/use-postgres.ts";

const postgres = usePostgres();
let url: string;
let store: PostgresStore;
/** Newest first. */
const all: Alias[] = [];
const MANY = 400;

beforeAll(async () => {
  url = await postgres().newDatabase();
  store = await openStore(url);
  const recipients = [recipientNumber(0), recipientNumber(1)];
  for (const recipient of recipients) valueOf(await store.recipients.create(recipient, NO_LIMITS));
  const aliases = Array.from({ length: MANY }, (_, n) => ({
    ...aliasNumber(n, recipients.slice(n % 2)),
    active: n % 3 === 0,
    deletedAt: n % 20 === 0 ? 1 : null,
  }));
  for (const alias of aliases) valueOf(await store.aliases.create(alias, NO_LIMITS));
  all.push(...aliases.toReversed());
  await postgres().sql("VACUUM ANALYZE", [], url);
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
  [100, { deleted: false }],
  [100, { deleted: true }],
  [7, { deleted: false, q: "shop 5" }],
  [100, { deleted: false, q: "shop" }],
  [1, { deleted: false, q: "shop 101" }],
  [10, { deleted: false, q: "nothing" }],
  [3, { deleted: false, q: "alias-7", active: false, recipient: recipientNumber(1).id }],
  [100, { deleted: false, active: true, recipient: recipientNumber(1).id }],
  [100, { deleted: false, active: false }],
  [100, { deleted: true, q: "shop" }],
  [100, { deleted: true, recipient: recipientNumber(1).id }],
])("lists all matching aliases, and every page but the last is full: %o", async ([limit, filter]) => {
  const pages = await pagesOf(limit, filter);
  const matching = all.filter((alias) => AliasFilter.matches(alias, filter));
  expect(pages.flatMap(({ items }) => items.map(({ id }) => id))).toEqual(matching.map(({ id }) => id));
  for (const { items } of pages.slice(0, -1)) expect(items).toHaveLength(limit);
  expect(pages.length).toBe(Math.max(1, Math.ceil(matching.length / limit)));
});

test("a search finds exactly what the definition finds, whatever the text", async () => {
  const database = await postgres().newDatabase();
  const other = await openStore(database);
  const recipient = recipientNumber(0);
  valueOf(await other.recipients.create(recipient, NO_LIMITS));
  const unit = fc.constantFrom(
    "a",
    "b",
    "A",
    "é",
    "ﬁ",
    "ﷺ",
    "1",
    "_",
    "%",
    "\\",
    "-",
    " ",
    "\u{1F600}",
    "𝒜",
    "\u{10FFFF}",
    "'",
    "Ω",
    "ß",
  );
  const text = fc.string({ unit, maxLength: 8 });
  const local = fc.string({
    unit: fc.constantFrom("a", "b", "A", "1", "_", "%", "-"),
    minLength: 1,
    maxLength: 5,
  });
  let count = 0;
  const stored: Alias[] = [];
  const add = async (name: string, description: string, renamed: string) => {
    count += 1;
    const email = valueOf(parseEmailAddress(`${name}.${count}@alias.example`));
    const before = { ...aliasNumber(count, [recipient]), email, description };
    valueOf(await other.aliases.create(before, NO_LIMITS));
    const after = { ...before, description: renamed, version: 2 };
    valueOf(await other.aliases.save(before, after));
    stored.unshift(after);
  };
  for (const [name, first, second] of fc.sample(fc.tuple(local, text, text), 100))
    await add(name, first, second);
  await fc.assert(
    fc.asyncProperty(fc.oneof(text, local), async (q) => {
      const page = valueOf(
        await other.aliases.list(ACCOUNT, { limit: 100, after: null }, { deleted: false, q }),
      );
      const matching = stored.filter((alias) => AliasFilter.matches(alias, { deleted: false, q }));
      expect(page.items.map(({ id }) => id)).toEqual(matching.map(({ id }) => id));
    }),
    { numRuns: 300 },
  );
  await other.close();
});

test("text that PostgreSQL cannot store finds nothing, rather than failing", async () => {
  for (const q of ["\u0000", "shop\u0000", "\ud800", "\ud800shop"]) {
    const filter = { deleted: false, q };
    const page = valueOf(await store.aliases.list(ACCOUNT, { limit: 3, after: null }, filter));
    const matching = all.filter((alias) => AliasFilter.matches(alias, filter)).slice(0, 3);
    expect(page.items.map(({ id }) => id)).toEqual(matching.map(({ id }) => id));
  }
});

describe("a list uses indexes, however many aliases there are", () => {
  const explained = async (text: string): Promise<string> =>
    (await postgres().sql(`EXPLAIN ${text}`, [], url)).map((row) => row["QUERY PLAN"]).join("\n");

  test("a search reads only the words of the account that begin with the text", async () => {
    const plan = await explained(
      `SELECT id FROM aliases AS a WHERE account = 'account' AND deleted_at IS NULL AND id IN (
        (SELECT alias_id FROM alias_words WHERE account = 'account' AND word >= '77' AND word < '77~')
        UNION SELECT alias_id FROM addresses WHERE account = 'account' AND key >= '77' AND key < '77~'
      ) ORDER BY id DESC LIMIT 10`,
    );
    expect(plan).toMatch(/alias_words_pkey/);
    expect(plan).toMatch(/addresses_by_account/);
    expect(plan).not.toMatch(/Seq Scan/);
  });

  test.for([
    ["deleted_at IS NULL", /aliases_live/],
    ["deleted_at IS NOT NULL", /aliases_deleted/],
    ["deleted_at IS NULL AND active = true", /aliases_live_by_active/],
  ] as const)("%s", async ([condition, index]) => {
    const plan = await explained(
      `SELECT id FROM aliases WHERE account = 'account' AND ${condition} AND id < 'alias-000300' ORDER BY id DESC LIMIT 2`,
    );
    expect(plan).toMatch(index);
    expect(plan).not.toMatch(/Seq Scan|Sort/);
  });
});

test("a page that is read while aliases change shows each of them as it was before or after", async () => {
  const recipients = [recipientNumber(0), recipientNumber(1)];
  const alias = all.find(({ deletedAt }) => deletedAt === null) ?? expect.unreachable("there are some");
  const after = replaced(alias, recipients.toReversed());
  const [page, saved] = await Promise.all([
    store.aliases.list(ACCOUNT, { limit: 1, after: null }, { deleted: false }),
    store.aliases.save(alias, after),
  ]);
  expect(saved).toHaveProperty("value");
  expect([[alias], [after]]).toContainEqual(valueOf(page).items);
});
