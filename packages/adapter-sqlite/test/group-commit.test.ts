import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { SqliteStore } from "@postern/adapter-sqlite";
import { err, NO_LIMITS, ok, type Recipient } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import { newPath, openStore } from "./support/directory.ts";
import { brokenRules } from "./support/rules.ts";
import { ACCOUNT, aliasNumber, recipientNumber } from "./support/samples.ts";
import { storedAliases } from "./support/stored-aliases.ts";

const RECIPIENTS = Array.from({ length: 30 }, (_, n) => recipientNumber(n));
const TENTH = recipientNumber(9);

const ids = (recipients: readonly Recipient[]) => recipients.map(({ id }) => String(id)).sort();

const createAll = (store: SqliteStore, recipients: readonly Recipient[] = RECIPIENTS) =>
  Promise.all(recipients.map((recipient) => store.recipients.create(recipient, NO_LIMITS)));

const stored = async (store: SqliteStore): Promise<readonly string[]> => {
  const page = await store.recipients.list(ACCOUNT, { limit: 100, after: null });
  return ids(valueOf(page).items);
};

/** How many transactions were committed to the write-ahead log: the last frame of each has the size of the database. */
const commits = (path: string): number => {
  const log = readFileSync(`${path}-wal`);
  const frame = 24 + log.readUInt32BE(8);
  let count = 0;
  for (let at = 32; at < log.length; at += frame) if (log.readUInt32BE(at + 4) > 0) count += 1;
  return count;
};

test("writes that are requested at once share a transaction", async () => {
  const path = newPath();
  const store = openStore(path);
  const results = await createAll(store);
  expect(results.every((result) => result.isOk())).toBe(true);
  expect(await stored(store)).toEqual(ids(RECIPIENTS));
  expect(commits(path)).toBeLessThan(RECIPIENTS.length / 2);
});

describe("one of several writes", () => {
  const recipient = recipientNumber(0);
  const aliases = Array.from({ length: 10 }, (_, n) => aliasNumber(n, [recipient]));

  const storeWith = async (statement?: string) => {
    const path = newPath();
    const store = openStore(path);
    valueOf(await store.recipients.create(recipient, NO_LIMITS));
    using tool = new DatabaseSync(path);
    if (statement !== undefined) tool.exec(statement);
    return { path, store };
  };

  test("is undone alone if it fails after its first statement", async () => {
    const { path, store } = await storeWith(`
      CREATE TRIGGER injected BEFORE INSERT ON destinations WHEN NEW.alias_id = '${aliases[4]?.id}'
      BEGIN SELECT RAISE(ABORT, 'injected'); END`);
    const results = await Promise.all(aliases.map((alias) => store.aliases.create(alias, NO_LIMITS)));
    const cause = { source: "sqlite", reason: "SQLITE_CONSTRAINT_TRIGGER" };
    expect(results[4]).toEqual(err({ code: "unavailable", cause }));
    const others = aliases.filter((_, n) => n !== 4);
    expect(results.filter((result) => result.isOk())).toHaveLength(others.length);
    expect((await storedAliases(store)).map(({ id }) => id).sort()).toEqual(others.map(({ id }) => id));
    expect(brokenRules(path)).toEqual([]);
  });

  test("is undone alone if it is refused after its first statement", async () => {
    const { path, store } = await storeWith();
    const limits = { ...NO_LIMITS, aliases: 4 };
    const results = await Promise.all(aliases.map((alias) => store.aliases.create(alias, limits)));
    const refused = err({ code: "too_many_aliases", limit: 4 });
    expect(results).toEqual(aliases.map((_, n) => (n < 4 ? ok() : refused)));
    expect(await storedAliases(store)).toHaveLength(4);
    expect(brokenRules(path)).toEqual([]);
  });
});

test.each([
  ["SQLite ends the transaction", "SELECT RAISE(ROLLBACK, 'injected');"],
  ["the commit fails", "INSERT INTO children VALUES ('nobody');"],
])("if %s, only the write that is the reason fails", async (_, body) => {
  const path = newPath();
  const store = openStore(path);
  using tool = new DatabaseSync(path);
  tool.exec(`
    CREATE TABLE parents (id TEXT PRIMARY KEY);
    CREATE TABLE children (parent TEXT REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED);
    CREATE TRIGGER injected BEFORE INSERT ON recipients WHEN NEW.id = '${TENTH.id}' BEGIN ${body} END`);
  const results = await createAll(store);
  expect(results[9]).toMatchObject({ error: { code: "unavailable", cause: { source: "sqlite" } } });
  const others = RECIPIENTS.filter((_, n) => n !== 9);
  expect(results.filter((result) => result.isOk())).toHaveLength(others.length);
  expect(await stored(store)).toEqual(ids(others));

  tool.exec("DROP TRIGGER injected");
  expect((await createAll(store, [TENTH])).every((result) => result.isOk())).toBe(true);
  expect(await stored(store)).toEqual(ids(RECIPIENTS));
});

test("a write is acknowledged only after all writes of its transaction are committed", async () => {
  const path = newPath();
  const store = openStore(path);
  using tool = new DatabaseSync(path);
  const count = tool.prepare("SELECT count(*) AS n FROM recipients");
  const seen: unknown[] = [];
  await Promise.all(
    RECIPIENTS.map(async (recipient, n) => {
      valueOf(await store.recipients.create(recipient, NO_LIMITS));
      seen[n] = count.get()?.["n"];
    }),
  );
  expect(seen.every((n, place) => Number(n) > place)).toBe(true);
  // All writes of a transaction see the same: what its commit made of the table, or the last one before the flush that they share.
  expect(new Set(seen).size).toBeLessThanOrEqual(commits(path));
  // Not necessarily the first write: on a slow machine, it can fill a transaction alone.
  expect(seen.some((n, place) => Number(n) > place + 1)).toBe(true);
});
