import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { backupSqlite, sqliteStore, verifySqlite } from "@postern/adapter-sqlite";
import { valueOf } from "@postern/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { writeLog } from "../src/file/write-log.ts";
import { newPath, openStore } from "./support/directory.ts";

/** More than a write would leave in the log. */
const PAGES = 2_000;

/** A store with so many pages in its log that they have to be written to the file, and how many the file has. */
const withLongLog = () => {
  const path = newPath();
  const store = openStore(path);
  const writer = new DatabaseSync(path);
  onTestFinished(() => writer.close());
  const write = (pages: number) => {
    writer.exec("PRAGMA wal_autocheckpoint = 0");
    const insert = writer.prepare("INSERT INTO retired_addresses (address) VALUES (?)");
    writer.exec("BEGIN");
    for (let n = 0; n < pages; n += 1) insert.run(`${crypto.randomUUID()}${"x".repeat(4_000)}`);
    writer.exec("COMMIT");
  };
  write(PAGES);
  return { path, store, write, pagesInFile: () => statSync(path).size / 4_096 };
};

test.for<[name: string, read: (path: string) => Promise<unknown>]>([
  ["a backup", (path) => backupSqlite({ path, to: `${path}.backup` })],
  ["SQLite's own check", (path) => verifySqlite(path, 60_000)],
  [
    "a comparison",
    async (path) => {
      const store = valueOf(sqliteStore({ path, clock: Date, alongside: true }));
      for await (const difference of store.differences(() => {})) valueOf(difference);
      store.close();
    },
  ],
])("after %s, no long log is left for a server's next write", async ([, read]) => {
  const { path, pagesInFile } = withLongLog();
  expect(pagesInFile()).toBeLessThan(PAGES);
  await read(path);
  expect(pagesInFile()).toBeGreaterThan(PAGES);
});

test("the log is written in passes, as far as nobody reads older data, until one finds only a little", () => {
  const { path, write, pagesInFile } = withLongLog();
  using db = new DatabaseSync(path);
  using reader = new DatabaseSync(path);
  reader.exec("BEGIN; SELECT 1 FROM sqlite_schema");
  const readAgain = () => reader.exec("ROLLBACK; BEGIN; SELECT 1 FROM sqlite_schema");
  /** Writes the log, and does this before each pass. Returns how many there are. */
  const passes = (before: (pass: number) => void): number => {
    let count = 0;
    writeLog((text) => {
      before(count);
      count += 1;
      return db.prepare(text);
    });
    return count;
  };
  expect(passes(() => write(PAGES))).toBe(2);
  expect(pagesInFile()).toBeLessThan(2 * PAGES);

  // Somebody who reads what is newest keeps the log from beginning anew.
  const meanwhile = (pages: number) => {
    write(pages);
    readAgain();
  };
  expect(passes((pass) => meanwhile([0, PAGES, 100][pass] ?? 0))).toBe(3);
  expect(pagesInFile()).toBeGreaterThan(4 * PAGES);
  expect(passes(() => meanwhile(PAGES))).toBe(10);
});
