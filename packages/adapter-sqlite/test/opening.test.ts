import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sqliteStore } from "@postern/adapter-sqlite";
import { expect, onTestFinished, test } from "vitest";
import { migrate, migrations, schemaVersion } from "../src/migrations.ts";
import { newPath, openStore } from "./support/directory.ts";
import { aliasNumber, NOW, recipientNumber } from "./support/samples.ts";

const LATEST = migrations.length;
const clock = { now: () => NOW };
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const refusal = (path: string) => sqliteStore({ path, clock })._unsafeUnwrapErr();

const raw = (path: string): DatabaseSync => {
  const db = new DatabaseSync(path);
  onTestFinished(() => db[Symbol.dispose]());
  return db;
};

test("migrations are numbered from 1 without a gap", () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, i) => i + 1));
  expect(LATEST).toBeGreaterThan(0);
});

test("a new file gets the latest schema, and what is kept in it is there when it is opened again", async () => {
  const path = newPath();
  const first = openStore(path);
  const recipient = recipientNumber(0);
  const alias = aliasNumber(0, [recipient]);
  (await first.recipients.create(recipient))._unsafeUnwrap();
  (await first.aliases.create(alias))._unsafeUnwrap();
  first.close();
  expect(schemaVersion(raw(path))).toBe(LATEST);
  const found = await openStore(path).aliases.findWithRecipients(alias.account, alias.id, []);
  expect(found._unsafeUnwrap().alias).toEqual(alias);
});

test("the store writes ahead and waits for the disk", () => {
  const path = newPath();
  openStore(path);
  expect(raw(path).prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
});

test("migrations are applied in order from where the file is, each once", () => {
  const db = raw(":memory:");
  const steps = [
    { version: 1, sql: "CREATE TABLE numbers (n)" },
    { version: 2, sql: "INSERT INTO numbers VALUES (2)" },
    { version: 3, sql: "INSERT INTO numbers SELECT n + 1 FROM numbers" },
  ];
  migrate(db, steps.slice(0, 2));
  expect(schemaVersion(db)).toBe(2);
  migrate(db, steps);
  migrate(db, steps);
  expect(schemaVersion(db)).toBe(3);
  expect(db.prepare("SELECT n FROM numbers").all()).toEqual([{ n: 2 }, { n: 3 }]);
});

test("a migration that fails leaves nothing of itself nor of those before it", () => {
  const db = raw(":memory:");
  const steps = [
    { version: 1, sql: "CREATE TABLE numbers (n)" },
    { version: 2, sql: "CREATE TABLE letters (l); INSERT INTO nowhere VALUES (1)" },
  ];
  expect(() => migrate(db, steps)).toThrow("nowhere");
  expect(schemaVersion(db)).toBe(0);
  expect(db.prepare("SELECT name FROM sqlite_schema").all()).toEqual([]);
});

test("a file of a later version is refused, naming both versions, and left as it was", () => {
  const path = newPath();
  openStore(path).close();
  const db = raw(path);
  db.exec(`PRAGMA user_version = ${LATEST + 1}; PRAGMA journal_mode = DELETE`);
  db.close();
  const before = readFileSync(path);
  expect(refusal(path)).toEqual({
    code: "newer_version",
    found: LATEST + 1,
    supported: LATEST,
    message: expect.stringMatching(new RegExp(`${LATEST + 1}.*${LATEST}`)),
  });
  expect(readFileSync(path)).toEqual(before);
});

test("a file that is no database, or another program's, is refused and left as it was", () => {
  const garbage = newPath("garbage");
  writeFileSync(garbage, "no database at all, but long enough to be looked at as one\n".repeat(90));
  const foreign = newPath("foreign");
  const db = raw(foreign);
  db.exec("CREATE TABLE theirs (n)");
  db.close();
  for (const path of [garbage, foreign]) {
    chmodSync(path, 0o644);
    const before = readFileSync(path);
    expect(refusal(path)).toEqual({ code: "not_a_store", message: `${path} is not a Postern database` });
    expect(readFileSync(path)).toEqual(before);
    expect(modeOf(path)).toBe("644");
  }
});

test("what is no file, or in no directory that can be made, is refused and left as it was", () => {
  const path = newPath();
  chmodSync(dirname(path), 0o755);
  expect(refusal(dirname(path))).toMatchObject({ code: "cannot_open" });
  expect(modeOf(dirname(path))).toBe("755");
  writeFileSync(path, "");
  expect(refusal(join(path, "below.db"))).toMatchObject({ code: "cannot_open" });
  expect(refusal("")).toMatchObject({ code: "cannot_open" });
});

test("the file, its companions and the directory made for it are their owner's alone", async () => {
  const path = join(dirname(newPath()), "new/deep/postern.db");
  const before = process.umask(0);
  onTestFinished(() => {
    process.umask(before);
  });
  const store = openStore(path);
  await store.recipients.create(recipientNumber(0));
  for (const name of ["", "-wal", "-shm", "-lock"])
    expect([name, modeOf(path + name)]).toEqual([name, "600"]);
  expect(modeOf(dirname(path))).toBe("700");
  expect(modeOf(dirname(dirname(path)))).toBe("700");
});

test("a file that others could read, such as one restored by copying, is made private", async () => {
  const path = newPath();
  openStore(path).close();
  chmodSync(path, 0o644);
  const store = openStore(path);
  await store.recipients.create(recipientNumber(0));
  for (const name of ["", "-wal", "-shm"]) expect([name, modeOf(path + name)]).toEqual([name, "600"]);
});

test("a closed store is one file, and the lock's", async () => {
  const path = newPath();
  const store = openStore(path);
  await store.recipients.create(recipientNumber(0));
  store.close();
  expect(readdirSync(dirname(path)).sort()).toEqual(["postern.db", "postern.db-lock"]);
});

test("a second store on the file is refused, by whatever path, until the first is closed", async () => {
  const path = newPath();
  const link = join(dirname(path), "link.db");
  const first = openStore(path);
  symlinkSync(path, link);
  // The attempt must not end the first one's lock either.
  for (const again of [path, link, path]) expect(refusal(again)).toMatchObject({ code: "in_use" });
  expect(await first.recipients.create(recipientNumber(0))).toHaveProperty("value");
  first.close();
  first.close();
  expect(await first.ping()).toMatchObject({ error: { code: "unavailable" } });
  openStore(link);
});

test("a file that a tool has locked is refused", () => {
  const path = newPath();
  openStore(path).close();
  const tool = raw(path);
  tool.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  expect(refusal(path)).toMatchObject({ code: "in_use" });
  tool.close();
  openStore(path);
});
