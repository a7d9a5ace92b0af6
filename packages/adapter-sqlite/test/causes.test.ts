import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { err, NO_LIMITS, ok, parseEmailAddress } from "@postern/core";
import { LedgerEntry, parseLedgerKey } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { resultName } from "../src/file/result-names.ts";
import { database } from "../src/store/database.ts";
import { SERVER } from "../src/store/locking.ts";
import { newPath, openStore } from "./support/directory.ts";
import { ACCOUNT, aliasNumber, recipientNumber } from "./support/samples.ts";
import { stopTime } from "./support/stopped-time.ts";

const because = (reason: string) => ({
  error: { code: "unavailable", cause: { source: "sqlite", reason } },
});

/** Writes until a write fails, and prints why. */
const filler = fileURLToPath(new URL("./support/filler.ts", import.meta.url));

const page = { limit: 10, after: null };

/** A database with a table, but without a store's rules, and functions that run work on it. */
const openPlain = () => {
  const db = new DatabaseSync(":memory:");
  onTestFinished(() => {
    if (db.isOpen) db.close();
  });
  db.exec("CREATE TABLE things (thing TEXT UNIQUE)");
  const { transact, attempt } = database(db, { locking: SERVER, isInPlace: () => true }, () => db.close());
  const insert = (thing: string) =>
    transact(null, undefined, () => {
      db.prepare("INSERT INTO things VALUES (?)").run(thing);
      return ok();
    });
  return { db, insert, attempt, transact };
};

describe("a call that fails names SQLite's result code", () => {
  test("if the disk is full", async () => {
    const { db, insert } = openPlain();
    db.exec("PRAGMA max_page_count = 4");
    expect(await insert("a".repeat(100_000))).toEqual(err(because("SQLITE_FULL").error));
    expect(await insert("a")).toEqual(ok());
  });

  test("if a file cannot grow", async () => {
    // In 512-byte or, with bash, 1,024-byte blocks.
    const { stdout } = await promisify(execFile)(
      "sh",
      ["-c", 'ulimit -f 500 && exec "$0" "$@"', process.execPath, filler, newPath()],
      { timeout: 120_000 },
    );
    expect(stdout).toBe("sqlite SQLITE_IOERR_WRITE");
  });

  test("if another program writes", async () => {
    const path = newPath();
    const store = openStore(path);
    using tool = new DatabaseSync(path);
    tool.exec("BEGIN IMMEDIATE");
    const pass = stopTime();
    const created = store.recipients.create(recipientNumber(0), NO_LIMITS);
    await pass(2_000);
    expect(await created).toMatchObject(because("SQLITE_BUSY"));
  });

  test("if another program writes until the caller's time is up", async () => {
    const path = newPath();
    const store = openStore(path);
    using tool = new DatabaseSync(path);
    tool.exec("BEGIN IMMEDIATE");
    const pass = stopTime();
    const ended = vi.fn();
    const created = store.recipients.create(recipientNumber(0), NO_LIMITS, 300);
    void created.then(ended);
    await pass(299);
    expect(ended).not.toHaveBeenCalled();
    await pass(1);
    expect(ended).toHaveBeenCalled();
    expect(await created).toMatchObject(because("SQLITE_BUSY"));
    tool.exec("COMMIT");
    expect(await store.recipients.create(recipientNumber(0), NO_LIMITS, 300)).toEqual(ok());
  });

  test("if the file is damaged", async () => {
    const path = newPath();
    const before = openStore(path);
    valueOf(await before.recipients.create(recipientNumber(0), NO_LIMITS));
    before.close();
    const store = openStore(path);
    const content = readFileSync(path);
    // The first page remains: otherwise the file would not even open.
    writeFileSync(path, content.fill("damaged", content.readUInt16BE(16)));
    expect(await store.recipients.list(ACCOUNT, page)).toMatchObject(because("SQLITE_CORRUPT"));
  });

  test("if a constraint is violated, but not the value that violates it", async () => {
    const store = openStore(newPath());
    const secret = { ...recipientNumber(0), attached: 0, version: -1 };
    const created = await store.recipients.create(secret, NO_LIMITS);
    expect(created).toMatchObject(because("SQLITE_CONSTRAINT_CHECK"));
    const { insert } = openPlain();
    await insert("ada@example.org");
    expect(await insert("ada@example.org")).toMatchObject(because("SQLITE_CONSTRAINT_UNIQUE"));
  });
});

test.each([
  [1, "SQLITE_ERROR"],
  [13, "SQLITE_FULL"],
  [778, "SQLITE_IOERR_WRITE"],
  [8714, "SQLITE_IOERR_IN_PAGE"],
  [1032, "SQLITE_READONLY_DBMOVED"],
  [2067, "SQLITE_CONSTRAINT_UNIQUE"],
  [25_610, "SQLITE_IOERR_100"],
  [99, "SQLite result code 99"],
])("the name of result code %i is %s", (code, name) => {
  expect(resultName(code)).toBe(name);
});

describe("a row that does not parse is named by its table, not by its content", () => {
  const damage = async (statement: string) => {
    const path = newPath();
    const store = openStore(path);
    const recipient = recipientNumber(0);
    valueOf(await store.recipients.create(recipient, NO_LIMITS));
    valueOf(await store.aliases.create(aliasNumber(0, [recipient]), NO_LIMITS));
    const key = valueOf(parseLedgerKey("k".repeat(43)));
    valueOf(await store.mailLedger.save([LedgerEntry.suppress(LedgerEntry.none(key), 1)]));
    valueOf(await store.aliases.retireAddress(valueOf(parseEmailAddress("erased@alias.example"))));
    using tool = new DatabaseSync(path);
    tool.exec(`PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; ${statement}`);
    return store;
  };

  test("recipients", async () => {
    const store = await damage("UPDATE recipients SET verification_sent_at = -1");
    expect(await store.recipients.list(ACCOUNT, page)).toMatchObject(
      because("a row of recipients does not parse"),
    );
  });

  test.each([
    ["aliases", "UPDATE aliases SET updated_at = -1"],
    ["aliases", "UPDATE aliases SET remembered = '['"],
    ["aliases", "DELETE FROM destinations"],
    ["recipients", "DROP TRIGGER recipient_stays_itself; UPDATE recipients SET email = 'nobody'"],
    ["recipients", "DELETE FROM recipients"],
  ])("%s, in a list of aliases: %s", async (table, statement) => {
    const store = await damage(statement);
    const found = await store.aliases.list(ACCOUNT, page, { deleted: false });
    expect(found).toMatchObject(because(`a row of ${table} does not parse`));
    expect((await store.ping()).isOk()).toBe(true);
  });

  test("mail_ledger", async () => {
    const store = await damage("UPDATE mail_ledger SET charged_at = '['");
    expect(await store.mailLedger.list(page)).toMatchObject(because("a row of mail_ledger does not parse"));
  });

  test("retired_addresses", async () => {
    const store = await damage("INSERT INTO retired_addresses VALUES ('nobody')");
    expect(await store.aliases.listRetiredAddresses(page)).toMatchObject(
      because("a row of retired_addresses does not parse"),
    );
  });
});

test("an error that is not SQLite's is named by its class, never by its message", async () => {
  const { attempt, transact } = openPlain();
  const fail = () => {
    throw new RangeError("ada@example.org");
  };
  expect(await attempt(null, undefined, fail)).toMatchObject(because("RangeError"));
  expect(await transact(null, undefined, fail)).toMatchObject(because("RangeError"));
  const throwText = () => {
    throw "ada@example.org";
  };
  expect(await attempt(null, undefined, throwText)).toMatchObject(because("a thrown string"));
});

test("a closed store says so", async () => {
  const store = openStore(newPath());
  store.close();
  expect(await store.ping()).toMatchObject(because("the store is closed"));
  expect(await store.aliases.list(ACCOUNT, page, { deleted: false })).toMatchObject(
    because("the store is closed"),
  );
  expect(await store.recipients.create(recipientNumber(0), NO_LIMITS)).toMatchObject(
    because("the store is closed"),
  );
});
