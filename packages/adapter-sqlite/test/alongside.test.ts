import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type SqliteStore, sqliteStore } from "@postern/adapter-sqlite";
import { Alias, NO_LIMITS, ok, parseAccountId } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { database } from "../src/store/database.ts";
import { COMMAND } from "../src/store/locking.ts";
import { STORE } from "../src/store/open-database.ts";
import { migrateTo, newPath, openStore } from "./support/directory.ts";
import { brokenRules } from "./support/rules.ts";
import { ACCOUNT, aliasNumber, NOW, recipientNumber } from "./support/samples.ts";
import { stopTime } from "./support/stopped-time.ts";

const clock = { now: () => 0 };

const openAlongside = (path: string): SqliteStore => {
  const store = valueOf(sqliteStore({ path, clock, alongside: true }));
  onTestFinished(() => store.close());
  return store;
};

const refusal = (path: string) => failureOf(sqliteStore({ path, clock, alongside: true }));

test("a store opened alongside sees what the other one writes, and vice versa", async () => {
  const path = newPath();
  const server = openStore(path);
  const command = openAlongside(path);
  expect(command.created).toBe(false);
  const home = recipientNumber(0);
  valueOf(await server.recipients.create(home, NO_LIMITS));
  expect(valueOf(await command.recipients.find(ACCOUNT, home.id))).toEqual(home);
  const alias = aliasNumber(0, [home]);
  valueOf(await command.aliases.create(alias, NO_LIMITS));
  expect(valueOf(await server.aliases.findByEmail(alias.email))).toEqual(Alias.state(alias));
  valueOf(await command.suspensions.suspend(ACCOUNT, NOW));
  expect(valueOf(await server.suspensions.find(ACCOUNT))).toBe(NOW);
  command.close();
  valueOf(await server.suspensions.resume(ACCOUNT));
  expect(brokenRules(path)).toEqual([]);
});

test("any number of stores can be open alongside, and still leave room for a single server", async () => {
  const path = newPath();
  openStore(path).close();
  const commands = [openAlongside(path), openAlongside(path)];
  const server = openStore(path);
  for (const [n, store] of [...commands, server].entries()) {
    valueOf(await store.recipients.create(recipientNumber(n), NO_LIMITS));
  }
  expect(failureOf(sqliteStore({ path, clock })).code).toBe("in_use");
});

test("a store can be closed before one opened alongside, and in the end only the database and its lock file remain", async () => {
  const path = newPath();
  const server = openStore(path);
  const command = openAlongside(path);
  valueOf(await server.recipients.create(recipientNumber(0), NO_LIMITS));
  server.close();
  valueOf(await command.recipients.create(recipientNumber(1), NO_LIMITS));
  command.close();
  expect(readdirSync(dirname(path)).sort()).toEqual(["postern.db", "postern.db-lock"]);
  const page = { limit: 10, after: null };
  expect(valueOf(await openStore(path).recipients.list(ACCOUNT, page)).items).toHaveLength(2);
});

test("opening alongside creates and migrates nothing: unsuitable files are refused and left unchanged", () => {
  const path = newPath();
  expect(refusal(path).code).toBe("missing");
  writeFileSync(path, "");
  expect(refusal(path).code).toBe("missing");
  expect(refusal(join(dirname(path), "none/postern.db")).code).toBe("missing");
  expect(readdirSync(dirname(path))).toEqual(["postern.db"]);

  const LATEST = STORE.migrations.length;
  const old = newPath();
  const db = new DatabaseSync(old);
  migrateTo(LATEST - 1, db);
  db.close();
  const before = readFileSync(old);
  expect(refusal(old)).toEqual({
    code: "older_version",
    found: LATEST - 1,
    supported: LATEST,
    message: expect.stringMatching(/schema version .* start this version's server once/),
  });
  expect(readFileSync(old)).toEqual(before);
  expect(readdirSync(dirname(old))).toEqual(["postern.db"]);

  const newer = newPath();
  openStore(newer).close();
  const raw = new DatabaseSync(newer);
  raw.exec(`PRAGMA user_version = ${LATEST + 1}`);
  raw.close();
  const content = readFileSync(newer);
  expect(refusal(newer).code).toBe("newer_version");
  expect(readFileSync(newer)).toEqual(content);
});

test("a server waits 2 seconds for the write lock and serves reads meanwhile, and a store opened alongside waits 10", async () => {
  const path = newPath();
  const server = openStore(path);
  const command = openAlongside(path);
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  other.exec("BEGIN IMMEDIATE");
  const pass = stopTime();
  const failed: string[] = [];
  const write = async (name: string, store: SqliteStore, n: number) => {
    const written = await store.recipients.create(recipientNumber(n), NO_LIMITS);
    if (written.isErr()) failed.push(`${name} ${written.error.code}`);
  };
  const first = [write("server", server, 0), write("command", command, 0)];
  valueOf(await server.accounts({ limit: 1, after: null }));
  await pass(1_999);
  expect(failed).toEqual([]);
  await pass(1);
  expect(failed).toEqual(["server unavailable"]);
  const later = write("later command", command, 1);
  await pass(7_999);
  expect(failed).toEqual(["server unavailable"]);
  await pass(1);
  expect(failed).toEqual(["server unavailable", "command unavailable"]);
  const again = write("server again", server, 0);
  await pass(1_999);
  other.exec("ROLLBACK");
  await Promise.all([...first, later, again]);
  expect(failed).toHaveLength(2);
});

test("a store opened alongside pauses after each write, for three times as long as the write took", async () => {
  using db = new DatabaseSync(":memory:");
  const pauses = vi.spyOn(Atomics, "wait").mockReturnValue("timed-out");
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const { transact } = database(db, { locking: COMMAND, isInPlace: () => true }, () => {});
  for (const took of [5, 20]) {
    const written = transact(null, undefined, () => {
      now += took;
      return ok();
    });
    valueOf(await written);
  }
  expect(pauses.mock.calls.map(([, , , milliseconds]) => milliseconds)).toEqual([15, 60]);
});

const foundIn = (path: string, text: string): boolean =>
  ["", "-wal", "-shm"]
    .map((suffix) => path + suffix)
    .filter(existsSync)
    .some((file) => readFileSync(file).includes(text));

/** A store with an alias to erase, and one opened alongside. */
const withAlias = async () => {
  const path = newPath();
  const server = openStore(path);
  const home = recipientNumber(0);
  valueOf(await server.recipients.create(home, NO_LIMITS));
  const alias = { ...aliasNumber(0, [home]), description: "the erased description" };
  valueOf(await server.aliases.create(alias, NO_LIMITS));
  expect(foundIn(path, alias.description)).toBe(true);
  return { path, server, alias, command: openAlongside(path) };
};

test("content erased by a store alongside is gone from all files once that store is closed", async () => {
  const { path, server, alias, command } = await withAlias();
  valueOf(await command.aliases.erase(alias));
  command.close();
  expect(foundIn(path, alias.description)).toBe(false);
  valueOf(await server.ping());
});

test("if somebody reads the old state meanwhile, the server's next write removes what a store alongside erased", async () => {
  const { path, server, alias, command } = await withAlias();
  const reader = new DatabaseSync(path);
  onTestFinished(() => reader[Symbol.dispose]());
  reader.exec("BEGIN; SELECT count(*) FROM aliases");
  valueOf(await command.aliases.erase(alias));
  // It tries for 5 seconds to remove the content itself.
  const now = vi.spyOn(performance, "now").mockReturnValueOnce(0).mockReturnValueOnce(4_999);
  now.mockReturnValue(5_000);
  command.close();
  expect(now).toHaveBeenCalledTimes(3);
  now.mockRestore();
  expect(foundIn(path, alias.description)).toBe(true);
  reader.close();
  valueOf(await server.recipients.create(recipientNumber(1), NO_LIMITS));
  expect(foundIn(path, alias.description)).toBe(false);
});

test("a server empties the log only after others have written", async () => {
  const { path, server, command } = await withAlias();
  const logSize = async (store: SqliteStore, n: number) => {
    valueOf(await store.recipients.create(recipientNumber(n), NO_LIMITS));
    return statSync(`${path}-wal`).size;
  };
  const sizes = [await logSize(server, 1), await logSize(server, 2), await logSize(server, 3)];
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
  expect(sizes[0]).toBeGreaterThan(0);
  expect(await logSize(command, 4)).toBeGreaterThan(0);
  expect(await logSize(server, 5)).toBe(0);
  expect(await logSize(server, 6)).toBeGreaterThan(0);
});

test("a suspension that is over leaves no trace of its account", async () => {
  const { path, server } = await withAlias();
  const suspended = valueOf(parseAccountId("account-that-was-suspended"));
  valueOf(await server.suspensions.suspend(suspended, NOW));
  expect(foundIn(path, suspended)).toBe(true);
  valueOf(await server.suspensions.resume(suspended));
  expect(foundIn(path, suspended)).toBe(false);
});

test("a copy of the file can be opened alongside too", async () => {
  const { path, server } = await withAlias();
  server.close();
  const copy = newPath();
  copyFileSync(path, copy);
  valueOf(await openAlongside(copy).suspensions.suspend(ACCOUNT, NOW));
});
