import { closeSync, openSync, writeFileSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { inspectSqlite, isSqliteInUse, probeSqlite, verifySqlite } from "@postern/adapter-sqlite";
import { NO_LIMITS, ok } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import { STORE } from "../src/store/open-database.ts";
import { newPath, openStore } from "./support/directory.ts";
import { brokenRules } from "./support/rules.ts";
import { ACCOUNT, aliasNumber, recipientNumber } from "./support/samples.ts";

const TIMEOUT_MS = 20_000;

const LATEST = STORE.migrations.length;

describe("a file that is open", () => {
  test("is inspected, written to and verified while its store is used", async () => {
    const path = newPath();
    const store = openStore(path);
    expect(isSqliteInUse(path)).toBe(true);
    let stored = 0;
    let done = false;
    const writing = (async () => {
      for (; !done; stored += 1) {
        valueOf(await store.recipients.create(recipientNumber(stored), NO_LIMITS));
        await setTimeout(1);
      }
    })();
    expect(valueOf(inspectSqlite(path))).toMatchObject({ version: LATEST, supported: LATEST });
    expect(await probeSqlite(path, 5_000)).toEqual(ok());
    expect(await verifySqlite(path, TIMEOUT_MS)).toEqual(ok("intact"));
    done = true;
    await writing;
    expect(stored).toBeGreaterThan(0);
    const page = { limit: 1, after: null };
    expect(valueOf(await store.recipients.list(ACCOUNT, page)).items).toHaveLength(1);
    store.close();
    expect(isSqliteInUse(path)).toBe(false);
  });

  test("and locked: a probe waits without blocking, and gives up at the deadline", async () => {
    const path = newPath();
    openStore(path).close();
    using other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    expect(failureOf(await probeSqlite(path, 50))).toEqual({ source: "sqlite", reason: "SQLITE_BUSY" });
    const [probed] = await Promise.all([
      probeSqlite(path, 5_000),
      setTimeout(100).then(() => other.exec("ROLLBACK")),
    ]);
    expect(probed).toEqual(ok());
  });
});

test("damage is named without content", async () => {
  const path = newPath();
  const store = openStore(path);
  for (let n = 0; n < 50; n += 1) valueOf(await store.recipients.create(recipientNumber(n), NO_LIMITS));
  store.close();
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(40, 0xff), 0, 40, 4 * 4096);
  closeSync(file);
  const { code, cause } = failureOf(await verifySqlite(path, TIMEOUT_MS));
  const { source, reason } = cause;
  expect([code, source, reason]).toEqual([
    "damaged",
    "sqlite",
    expect.stringMatching(/^(SQLITE_CORRUPT|Tree|\*\*\*)/),
  ]);
  expect(reason).not.toContain("@");
});

test.for([
  "DELETE FROM alias_words WHERE word = '1'",
  "INSERT INTO alias_words VALUES ('account', 'sho', 'alias-000001')",
  "UPDATE alias_words SET word = 'sho' WHERE word = 'shop'",
  "UPDATE alias_words SET account = 'other'",
])("a wrong search index is not damage: %s", async (sql) => {
  const path = newPath();
  const store = openStore(path);
  const recipient = recipientNumber(0);
  valueOf(await store.recipients.create(recipient, NO_LIMITS));
  for (const n of [1, 2]) valueOf(await store.aliases.create(aliasNumber(n, [recipient]), NO_LIMITS));
  store.close();
  expect(await verifySqlite(path, TIMEOUT_MS)).toEqual(ok("intact"));
  const run = (text: string) => {
    using db = new DatabaseSync(path);
    db.exec(text);
  };
  run(sql);
  expect(failureOf(await verifySqlite(path, TIMEOUT_MS)).code).toBe("wrong_index");
  // As docs/sqlite.md says.
  run("DELETE FROM alias_words; UPDATE aliases SET words = NULL");
  openStore(path).close();
  expect(await verifySqlite(path, TIMEOUT_MS)).toEqual(ok("intact"));
  expect(brokenRules(path)).toEqual([]);
});

test("a file that cannot be checked is not called damaged, and a check that does not finish in time is unfinished", async () => {
  const path = newPath();
  openStore(path).close();
  using other = new DatabaseSync(path);
  // Now nothing else can read the file.
  other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT");
  expect(failureOf(await verifySqlite(path, TIMEOUT_MS))).toEqual({
    code: "not_checked",
    cause: { source: "sqlite", reason: "SQLITE_BUSY" },
  });
  // The check waits a second for the lock.
  expect(await verifySqlite(path, 1)).toEqual(ok("unfinished"));
});

test("files that are not stores are refused", () => {
  const path = newPath();
  expect(failureOf(inspectSqlite(path)).code).toBe("missing");
  writeFileSync(path, "");
  expect(failureOf(inspectSqlite(path)).code).toBe("missing");
  writeFileSync(path, "x".repeat(5_000));
  expect(failureOf(inspectSqlite(path)).code).toBe("not_a_store");
  expect(isSqliteInUse(path)).toBe(false);
});
