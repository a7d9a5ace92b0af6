import { DatabaseSync } from "node:sqlite";
import { type SqliteStore, sqliteStore } from "@postern/adapter-sqlite";
import { type AccountId, type Alias, type AliasId, NO_LIMITS, parseAccountId } from "@postern/core";
import { AliasFilter, type Page } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { runsWhole } from "@postern/test-support/runs-whole";
import { beforeAll, describe, expect, test } from "vitest";
import { newPath, openStore } from "./support/directory.ts";
import { brokenRules } from "./support/rules.ts";
import { ACCOUNT, aliasNumber, NOW, recipientNumber } from "./support/samples.ts";

/** More than are sorted, so that the index does not find the beginning of many different words. */
const MANY = runsWhole(import.meta.url) ? 100_000 : 13_000;

const OTHER = valueOf(parseAccountId("other"));

/**
 * Adds aliases without the application, so that it has to index them when it opens the file. Each has the word `all` and a word
 * of its own, `n` with its number; every third has `third`, the oldest 500 have `old`, and all but the newest 2,500 have `most`
 * and a word that begins with `early`; one has `needle`.
 */
const addMany = (path: string, count: number, account: AccountId, from = 0) => {
  using db = new DatabaseSync(path);
  db.exec("PRAGMA foreign_keys = ON; BEGIN");
  db.prepare(`
    WITH numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers LIMIT :count)
    INSERT INTO aliases (account, id, email, description, active, created_at, updated_at, version)
    SELECT
      :account, printf('alias-%06d', n + :from), printf('%s%d@%s.example', iif(n % 2, 'Odd', 'even'), n, :account),
      printf('All-n%d', n) || iif(n % 3, '', ' THIRD') || iif(n < 500, ' old', '') || iif(n < :count - 2500, ' most early' || n, '')
        || iif(n = :count / 2, ' needle', ''),
      n % 5 > 0, 0, 0, 1
    FROM numbers`).run({ account, count, from });
  db.prepare(`
    INSERT INTO destinations SELECT account, id, 0, 'recipient-0' FROM aliases
    WHERE account = ? AND id >= printf('alias-%06d', ?)`).run(account, from);
  db.exec("COMMIT");
};

let store: SqliteStore;

type AliasPage = Page<Alias, AliasId>;

const pageOf = async (filter: AliasFilter, limit: number, after: AliasId | null): Promise<AliasPage> =>
  valueOf(await store.aliases.list(ACCOUNT, { limit, after }, filter));

const pagesOf = async (
  filter: AliasFilter,
  limit: number,
  most = Infinity,
): Promise<readonly AliasPage[]> => {
  const pages = [await pageOf(filter, limit, null)];
  for (let next = pages[0]?.next ?? null; next !== null && pages.length < most; ) {
    const page = await pageOf(filter, limit, next);
    pages.push(page);
    next = page.next;
  }
  return pages;
};

describe("in a large account", () => {
  let all: readonly Alias[];

  beforeAll(async () => {
    const path = newPath();
    const open = () => valueOf(sqliteStore({ path, clock: { now: () => NOW } }));
    const empty = open();
    for (const account of [ACCOUNT, OTHER])
      valueOf(await empty.recipients.create(recipientNumber(0, account), NO_LIMITS));
    empty.close();
    addMany(path, MANY, ACCOUNT);
    addMany(path, 100, OTHER);
    store = open();
    all = (await pagesOf({ deleted: false }, 100)).flatMap(({ items }) => items);
    expect(all).toHaveLength(MANY);
    expect(brokenRules(path)).toEqual([]);
    return () => store.close();
  });

  test.for<[q: string, limit: number]>([
    // The index has few entries with this beginning.
    ["needle", 10],
    ["needle third", 10],
    ["nee all", 10],
    ["old", 100],
    ["n77", 20],
    ["all n77", 100],
    ["old third", 7],
    ["even77", 100],
    ["ODD1@", 100],
    ["odd1@account.example", 100],
    ["nothing", 1],
    ["third nothing", 1],
    ["@", 1],
    ["", 100],
    // The index has many with this beginning.
    ["all", 100],
    ["th", 100],
    ["all third", 100],
    ["all most", 100],
    ["most all", 100],
    ["all old", 100],
    ["n", 100],
    ["n a", 100],
    ["odd", 100],
    ["all n third", 100],
    ["third nothing1", 1],
  ])("%j is found in pages of %d", async ([q, limit]) => {
    for (const filter of [
      { deleted: false, q },
      { deleted: false, q, active: false },
      { deleted: false, q, recipient: recipientNumber(0).id },
    ]) {
      const matching = all.filter(AliasFilter.matching(filter)).map(({ id }) => id);
      const pages = await pagesOf(filter, limit, 5);
      const found = pages.flatMap(({ items }) => items.map(({ id }) => id));
      expect(found).toEqual(matching.slice(0, 5 * limit));
      expect(pages).toHaveLength(Math.min(5, Math.max(1, Math.ceil(matching.length / limit))));
    }
  });

  test("matches that are only at the end of the list are found on the first page", async () => {
    const page = await pageOf({ deleted: false, q: "all old" }, 100, null);
    expect(page.items).toEqual(all.filter(({ description }) => / old\b/.test(description)).slice(0, 100));
  });

  test("a page compares a limited number of aliases if the index has too many different words with the same beginning", async () => {
    const pages = await pagesOf({ deleted: false, q: "early" }, 100, 3);
    expect(pages.map(({ items }) => items.length)).toEqual([0, 100, 100]);
    expect(pages[0]?.next).toBe(all[1_999]?.id);
  });
});

describe("the index", () => {
  const OTHERS = 500;

  const found = async (q: string): Promise<readonly string[]> =>
    (await pageOf({ deleted: false, q }, 100, null)).items.map(({ description }) => description);

  /** A store with these descriptions, followed by so many others that a search for them uses the index. */
  const open = async (...descriptions: readonly string[]) => {
    const path = newPath();
    store = openStore(path);
    const recipient = recipientNumber(0);
    valueOf(await store.recipients.create(recipient, NO_LIMITS));
    for (const [n, description] of descriptions.entries())
      valueOf(await store.aliases.create({ ...aliasNumber(n, [recipient]), description }, NO_LIMITS));
    store.close();
    addMany(path, OTHERS, ACCOUNT, 1_000);
    store = openStore(path);
    const run = (sql: string) => {
      using db = new DatabaseSync(path);
      db.exec(sql);
    };
    const reopen = () => {
      store.close();
      store = openStore(path);
    };
    const unindexed = () => {
      using db = new DatabaseSync(path);
      return db.prepare("SELECT id FROM aliases WHERE words IS NULL").all().length;
    };
    return { path, run, reopen, unindexed };
  };

  test("does not hide what another program writes, and includes it once the file is opened again", async () => {
    const { path, run, reopen, unindexed } = await open("Shop", "News");
    // Another program does not update the index.
    run("UPDATE aliases SET description = 'Ⅷ Garden' WHERE id = 'alias-000000'");
    expect(unindexed()).toBe(1);
    for (const step of [() => {}, reopen]) {
      step();
      expect(await found("viii gard")).toEqual(["Ⅷ Garden"]);
      expect(await found("news")).toEqual(["News"]);
      expect(await found("shop")).toEqual([]);
    }
    expect(unindexed()).toBe(0);
    expect(brokenRules(path)).toEqual([]);
  });

  test("is rebuilt where another version of Unicode can have other letters", async () => {
    const { path, run, reopen } = await open("Straße");
    const change = `UPDATE aliases SET words = '["stra", "e"]' WHERE id = 'alias-000000'`;
    run(change);
    reopen();
    run("UPDATE search_index SET unicode = '1.1'");
    expect(await found("straß")).toEqual([]);
    reopen();
    expect(await found("straß")).toEqual(["Straße"]);
    expect(brokenRules(path)).toEqual([]);
    run(change);
    reopen();
    expect(await found("straß")).toEqual([]);
  });

  test("omits descriptions with very many words, which searches read instead", async () => {
    const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`).join(" ");
    const { run, unindexed, path } = await open(words(64), words(65));
    expect(await found("w63 w0")).toEqual([words(65), words(64)]);
    expect(await found("w64")).toEqual([words(65)]);
    expect(await found("w65")).toEqual([]);
    expect(unindexed()).toBe(0);
    run("DELETE FROM alias_words WHERE word = 'w0'");
    expect(brokenRules(path)).toHaveLength(1);
    expect(await found("w0")).toEqual([words(65)]);
  });

  test("a page reads few descriptions whose words are not indexed", async () => {
    const { run } = await open(...Array(120).fill("x y ".repeat(100)));
    run("UPDATE aliases SET words = NULL WHERE id < 'alias-001000'");
    const pages = await pagesOf({ deleted: false, q: "nothing" }, 100);
    // Each counts for 4,000 of 100,000 characters.
    expect(pages).toHaveLength(5);
    expect(pages.flatMap(({ items }) => items)).toEqual([]);
  });

  test("still has the words of a description in which only other characters change", async () => {
    const { path, unindexed } = await open("Shop");
    const [alias] = (await pageOf({ deleted: false, q: "shop" }, 1, null)).items;
    if (alias === undefined) expect.unreachable("there is an alias");
    valueOf(await store.aliases.save(alias, { ...alias, description: "Shop!", version: 2 }));
    expect(await found("shop")).toEqual(["Shop!"]);
    expect(unindexed()).toBe(0);
    expect(brokenRules(path)).toEqual([]);
  });
});
