import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { sqliteStore } from "@postern/adapter-sqlite";
import { NO_LIMITS, parseAccountId, parseEventId, type Recipient } from "@postern/core";
import { Tallies } from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { migrate, schemaVersion } from "../src/file/schema.ts";
import { STORE } from "../src/store/open-database.ts";
import { migrateTo, newPath, openStore } from "./support/directory.ts";
import { brokenRules } from "./support/rules.ts";
import { ACCOUNT, aliasNumber, NOW, recipientNumber, replaced } from "./support/samples.ts";

const { migrations } = STORE;
const LATEST = migrations.length;
const clock = { now: () => NOW };
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const refusal = (path: string) => failureOf(sqliteStore({ path, clock }));

const raw = (path: string): DatabaseSync => {
  const db = new DatabaseSync(path);
  onTestFinished(() => db[Symbol.dispose]());
  return db;
};

test("migrations are numbered from 1 without a gap", () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, i) => i + 1));
  expect(LATEST).toBeGreaterThan(0);
});

test("a new file gets the latest schema, and its data is still there when it is opened again", async () => {
  const path = newPath();
  const first = openStore(path);
  const recipient = recipientNumber(0);
  const alias = aliasNumber(0, [recipient]);
  valueOf(await first.recipients.create(recipient, NO_LIMITS));
  valueOf(await first.aliases.create(alias, NO_LIMITS));
  first.close();
  expect(schemaVersion(raw(path), STORE)).toBe(LATEST);
  const found = await openStore(path).aliases.findWithRecipients(alias.account, alias.id, []);
  expect(valueOf(found).alias).toEqual(alias);
});

test("the store uses a write-ahead log", () => {
  const path = newPath();
  openStore(path);
  expect(raw(path).prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
});

test("migrations are applied in order from the version of the file, each once", () => {
  const db = raw(":memory:");
  const steps = [
    { version: 1, sql: "CREATE TABLE numbers (n)" },
    { version: 2, sql: "INSERT INTO numbers VALUES (2)" },
    { version: 3, sql: "INSERT INTO numbers SELECT n + 1 FROM numbers" },
  ];
  migrate(db, { ...STORE, migrations: steps.slice(0, 2) });
  expect(schemaVersion(db, STORE)).toBe(2);
  migrate(db, { ...STORE, migrations: steps });
  migrate(db, { ...STORE, migrations: steps });
  expect(schemaVersion(db, STORE)).toBe(3);
  expect(db.prepare("SELECT n FROM numbers").all()).toEqual([{ n: 2 }, { n: 3 }]);
});

test("if a migration fails, neither it nor those before it leave anything behind", () => {
  const db = raw(":memory:");
  const steps = [
    { version: 1, sql: "CREATE TABLE numbers (n)" },
    { version: 2, sql: "CREATE TABLE letters (l); INSERT INTO nowhere VALUES (1)" },
  ];
  expect(() => migrate(db, { ...STORE, migrations: steps })).toThrow("nowhere");
  expect(schemaVersion(db, STORE)).toBe(0);
  expect(db.prepare("SELECT name FROM sqlite_schema").all()).toEqual([]);
});

/** Written by the store of commit 11a662b, the last with schema version 1, through its ports. */
const VERSION_1 = join(import.meta.dirname, "support/version-1.db.gz");

test("a file of version 1 is migrated without losing data, and its aliases can be erased", async () => {
  const path = newPath();
  writeFileSync(path, gunzipSync(readFileSync(VERSION_1)));
  expect(schemaVersion(raw(path), STORE)).toBe(1);
  const store = openStore(path);
  expect(schemaVersion(raw(path), STORE)).toBe(LATEST);
  expect(brokenRules(path)).toEqual([]);

  const other = valueOf(parseAccountId("other"));
  const mailed = (recipient: Recipient): Recipient => ({ ...recipient, verificationSentAt: NOW });
  const [first, second] = [mailed(recipientNumber(0)), mailed(recipientNumber(1))];
  const unverified = { ...mailed(recipientNumber(2)), verifiedAt: null };
  const inactive = { ...mailed(recipientNumber(3, other)), active: false };
  const live = {
    ...replaced(aliasNumber(0, [first]), [second, first]),
    tallies: { ...Tallies.none, sent: { count: 2, lastAt: NOW } },
  };
  const deleted = {
    ...aliasNumber(1, [first, second]),
    active: false,
    tallies: { ...Tallies.none, bounced: { count: 1, lastAt: NOW + 2 } },
    updatedAt: NOW + 1,
    deletedAt: NOW + 1,
    version: 2,
  };
  const page = { limit: 100, after: null };
  const attached = [unverified, { ...second, attached: 1 }, { ...first, attached: 1 }];
  expect(valueOf(await store.recipients.list(ACCOUNT, page)).items).toEqual(attached);
  expect(valueOf(await store.recipients.list(other, page)).items).toEqual([inactive]);
  expect(valueOf(await store.aliases.list(ACCOUNT, page, { deleted: false })).items).toEqual([live]);
  expect(valueOf(await store.aliases.list(ACCOUNT, page, { deleted: true })).items).toEqual([deleted]);
  const event = { id: valueOf(parseEventId("event-2")), outcome: "sent", at: NOW } as const;
  expect(valueOf(await store.aliases.recordOutcome(live, event))).toBe("duplicate");

  for (const alias of [live, deleted]) valueOf(await store.aliases.erase(alias));
  expect(failureOf(await store.aliases.create(live, NO_LIMITS))).toEqual({ code: "address_taken" });
  expect(valueOf(await store.recipients.find(ACCOUNT, first.id))).toEqual(first);
  expect(brokenRules(path)).toEqual([]);
});

const schemaOf = (db: DatabaseSync) =>
  db.prepare("SELECT type, name, tbl_name, rootpage, ifnull(sql, '') AS sql FROM sqlite_schema").all();

test("the migration to version 3 changes one constraint and nothing else", () => {
  const db = raw(newPath());
  migrateTo(2, db);
  const before = schemaOf(db);
  const cookie = db.prepare("PRAGMA schema_version").get();
  migrateTo(3, db);
  const [old, changed] = [
    "CHECK (json_valid(remembered))",
    "CHECK (remembered IS NULL OR json_valid(remembered))",
  ];
  const expected = before.map((row) => ({ ...row, sql: String(row["sql"]).replace(old, changed) }));
  expect(schemaOf(db)).toEqual(expected);
  expect(expected.filter(({ sql }) => sql.includes(changed))).toHaveLength(1);
  // Programs that have the file open notice the change.
  expect(db.prepare("PRAGMA schema_version").get()).not.toEqual(cookie);
});

test("a migration that damages the schema fails and changes nothing", () => {
  const db = raw(newPath());
  migrateTo(2, db);
  const before = schemaOf(db);
  const damaging = migrations.map((step) => ({
    ...step,
    sql: step.sql.replace("remembered IS NULL OR", "IS IS"),
  }));
  expect(() => migrate(db, { ...STORE, migrations: damaging })).toThrow("malformed");
  expect(schemaVersion(db, STORE)).toBe(2);
  expect(schemaOf(db)).toEqual(before);
});

test("with create: false, a missing or empty file is refused and left unchanged", () => {
  const path = newPath();
  const missing = { code: "missing", message: `${path} is missing or empty: there is no store in it` };
  const reopen = () => sqliteStore({ path, clock, create: false });
  expect(failureOf(reopen())).toEqual(missing);
  expect(readdirSync(dirname(path))).toEqual([]);
  expect(failureOf(sqliteStore({ path: join(path, "below.db"), clock, create: false })).code).toBe("missing");
  writeFileSync(path, "");
  expect(failureOf(reopen())).toEqual(missing);
  expect(readFileSync(path)).toHaveLength(0);
  expect(failureOf(sqliteStore({ path: ":memory:", clock, create: false })).code).toBe("missing");

  const created = openStore(path);
  expect(created.created).toBe(true);
  created.close();
  const found = valueOf(reopen());
  expect(found.created).toBe(false);
  found.close();
  expect(openStore(path).created).toBe(false);
});

test("a file of a newer version is refused with an error that names both versions, and left unchanged", () => {
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

test("a file that is not a database, or belongs to another program, is refused and left unchanged", () => {
  const garbage = newPath("garbage");
  writeFileSync(garbage, "not a database, but long enough to be read as one\n".repeat(90));
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

test("a path that is not a file, or whose directory cannot be created, is refused and left unchanged", () => {
  const path = newPath();
  chmodSync(dirname(path), 0o755);
  expect(refusal(dirname(path))).toMatchObject({ code: "cannot_open" });
  expect(modeOf(dirname(path))).toBe("755");
  writeFileSync(path, "");
  expect(refusal(join(path, "below.db"))).toMatchObject({ code: "cannot_open" });
  expect(refusal("")).toMatchObject({ code: "cannot_open" });
});

test("the files and the directories created for them are accessible to their owner only", async () => {
  const path = join(dirname(newPath()), "new/deep/postern.db");
  const before = process.umask(0);
  onTestFinished(() => {
    process.umask(before);
  });
  const store = openStore(path);
  await store.recipients.create(recipientNumber(0), NO_LIMITS);
  for (const name of ["", "-wal", "-shm", "-lock"])
    expect([name, modeOf(path + name)]).toEqual([name, "600"]);
  expect(modeOf(dirname(path))).toBe("700");
  expect(modeOf(dirname(dirname(path)))).toBe("700");
});

test("a file that others can read, such as a restored copy, is made private", async () => {
  const path = newPath();
  openStore(path).close();
  chmodSync(path, 0o644);
  const store = openStore(path);
  await store.recipients.create(recipientNumber(0), NO_LIMITS);
  for (const name of ["", "-wal", "-shm"]) expect([name, modeOf(path + name)]).toEqual([name, "600"]);
});

test("a closed store is one file, plus the lock file", async () => {
  const path = newPath();
  const store = openStore(path);
  await store.recipients.create(recipientNumber(0), NO_LIMITS);
  store.close();
  expect(readdirSync(dirname(path)).sort()).toEqual(["postern.db", "postern.db-lock"]);
});

test("a second store on the same file, by any path, is refused until the first is closed", async () => {
  const path = newPath();
  const link = join(dirname(path), "link.db");
  const first = openStore(path);
  symlinkSync(path, link);
  // An attempt must not release the lock of the first store.
  for (const again of [path, link, path]) expect(refusal(again)).toMatchObject({ code: "in_use" });
  expect(await first.recipients.create(recipientNumber(0), NO_LIMITS)).toHaveProperty("value");
  first.close();
  first.close();
  expect(await first.ping()).toMatchObject({ error: { code: "unavailable" } });
  openStore(link);
});

test("a file that another program has locked is refused", () => {
  const path = newPath();
  openStore(path).close();
  const tool = raw(path);
  tool.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  expect(refusal(path)).toMatchObject({ code: "in_use" });
  tool.close();
  openStore(path);
});
