import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { sqliteStore } from "@postern/adapter-sqlite";
import { Announcement } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import {
  type Damage,
  fillWithSamples,
  linesOf,
  repair,
  SAMPLES,
  testDamages,
} from "@postern/test-support/store-damages";
import { expect, onTestFinished, test } from "vitest";
import { newPath } from "./support/directory.ts";
import { brokenRules } from "./support/rules.ts";
import { announcementTo, MESSAGE_DETAILS, webhookNumber } from "./support/samples.ts";

const CLOCK = { now: () => SAMPLES.now + 9 };

/** A store in a file, used by a server and by a command next to it. */
const begin = async () => {
  const path = newPath();
  const server = valueOf(sqliteStore({ path, clock: CLOCK }));
  await fillWithSamples(server);
  const command = valueOf(sqliteStore({ path, clock: CLOCK, alongside: true }));
  onTestFinished(() => {
    command.close();
    server.close();
  });
  const { differences } = command;
  return { path, store: { ...server, differences }, content: () => content(path) };
};

type Subject = Awaited<ReturnType<typeof begin>>;

/** Everything in the tables, the triggers, and the rules that are broken, to see what a repair has changed. */
const content = (path: string) => {
  using db = new DatabaseSync(path);
  const schema = db.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY name").all();
  const tables = schema.filter(({ type }) => type === "table");
  return {
    schema,
    rows: Object.fromEntries(
      tables.map(({ name }) => {
        const rows = db.prepare(`SELECT * FROM ${name}`);
        rows.setReadBigInts(true);
        return [name, rows.all()];
      }),
    ),
    broken: brokenRules(path),
  };
};

/** Writes to the file without its triggers, CHECKs and foreign keys, and puts the triggers back. */
const write = (path: string, statements: readonly string[]) => {
  using db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  db.exec("PRAGMA ignore_check_constraints = ON; BEGIN IMMEDIATE");
  const triggers = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  for (const sql of statements) db.exec(sql);
  for (const { sql } of triggers) db.exec(String(sql));
  db.exec("COMMIT");
};

const by = (...statements: readonly string[]): Damage<Subject> => ({
  damage: ({ path }) => write(path, statements),
});
const found = (lines: readonly string[], ...statements: readonly string[]) => ({
  ...by(...statements),
  found: lines,
});

const contactRow = (account: string, alias: string, email: string) =>
  `INSERT INTO contacts VALUES ('${account}', '${"c".repeat(26)}', '${alias}', '${email}', 'none', 1, NULL, 1, NULL, 1, 0)`;

const messageRow = (account: string, alias: string, details: object, id = "m") =>
  `INSERT INTO logged_messages VALUES ('${account}', '${alias}', 1, '${id.repeat(26)}', 1, '${JSON.stringify(details)}')`;

/** 1,200 rows, numbered `n`; every 500th gets `wrong`. */
const many = (table: string, values: (wrong: string) => string) => `
  WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1199),
    rows (n, name, wrong) AS (
      SELECT n, char(97 + n / 676, 97 + n / 26 % 26, 97 + n % 26), n % 500 = 199 FROM numbers
    )
  INSERT INTO ${table} SELECT ${values("wrong")} FROM rows`;

const POSITION = Announcement.position(announcementTo(webhookNumber(0)));

const turnRow = (after: string | null, failures: number) =>
  `INSERT INTO webhook_turns VALUES ('lonely', '${"w".repeat(26)}', 1, NULL, ${failures}, NULL, ${after})`;

const LONELY = ["undecided unreadable lonely"];

testDamages<Subject>(
  {
    begin,
    repaired: {
      "a count of aliases that is too high": by("UPDATE recipients SET attached = 7 WHERE id = 'work'"),
      "a count of aliases that is too low": by("UPDATE recipients SET attached = 0 WHERE id = 'work'"),
      // The rows of `destinations` are what aliases list.
      "a recipient that is not attached to an alias that lists it": null,
      "a recipient attached to an alias that does not list it": null,
      "a recipient attached to a deleted alias": found(
        ["leftover account old: 1 in destinations"],
        "INSERT OR IGNORE INTO destinations VALUES ('account', 'old', 0, 'free')",
      ),
      "a recipient attached to an alias that does not exist": found(
        ["leftover account gone: 1 in destinations"],
        "INSERT OR IGNORE INTO destinations VALUES ('account', 'gone', 4, 'free')",
      ),
      // An alias has its address without a further row.
      "an alias without its address": null,
      "an address that leads to an alias that does not exist": null,
      "an address that leads to another alias": null,
      "an alias whose address is retired": by(
        "INSERT OR IGNORE INTO retired_addresses VALUES ('shop@alias.example')",
      ),
      "an address of no alias": null,
      // Accounts are counted when a limit has to be checked.
      "wrong counts of an account": null,
      "an alias that is not found by a word": by(
        "DELETE FROM alias_words WHERE alias_id = 'shop' AND word = 'shop'",
      ),
      "an alias that is found by a word that it does not have": by(
        "INSERT OR IGNORE INTO alias_words VALUES ('account', 'x', 'shop')",
      ),
      "words of an alias that does not exist": by(
        "INSERT OR IGNORE INTO alias_words VALUES ('account', 'x', 'gone')",
      ),
      "words other than those of the description": found(
        ["search account shop: 1 surplus", "search account shop: 1 missing, 1 wrong"],
        `UPDATE aliases SET words = '["shop","x"]' WHERE id = 'shop'`,
      ),
      "tallies of an alias that does not exist": by(
        "INSERT OR IGNORE INTO tallies VALUES ('nobody', 'gone', 'sent', 1, 1)",
      ),
      "a contact of an alias that does not exist": by(
        contactRow("nobody", "gone", "bob@sender.example").replace("INSERT", "INSERT OR IGNORE"),
      ),
      "a logged message of an alias that does not exist": by(
        messageRow("nobody", "gone", MESSAGE_DETAILS).replace("INSERT", "INSERT OR IGNORE"),
      ),
    },
    undecided: {
      "an alias that does not parse": by("UPDATE aliases SET version = -1 WHERE id = 'shop'"),
      "a recipient that does not parse": by("UPDATE recipients SET version = -3 WHERE id = 'free'"),
      "a contact that does not parse": by(contactRow("account", "shop", "nobody")),
      "a blocked sender that does not parse": by("UPDATE blocked_senders SET sender = 'nobody'"),
      "a webhook that does not parse, in an account that has nothing else": by(
        `INSERT INTO webhooks VALUES ('lonely', '${"w".repeat(26)}', 'http://service.example/', '["alias.created"]',
          'whsec_${"a".repeat(42)}A=', NULL, 1, 1, 1)`,
      ),
      "an API key that does not parse, in an account that has nothing else": by(
        `INSERT INTO api_keys VALUES ('lonely', '${"k".repeat(26)}', 'hash-of-a-secret', 'name', '[]', NULL, NULL, NULL, 1, NULL, NULL)`,
      ),
      "one of two logged messages that does not parse": by(
        messageRow("account", "news", MESSAGE_DETAILS),
        messageRow("account", "shop", { ...MESSAGE_DETAILS, direction: "sideways" }),
      ),
      "an announcement that does not parse, in an account that has nothing else": by(
        `INSERT INTO announcements VALUES ('lonely', '${"a".repeat(26)}', 'nowhere')`,
        `INSERT INTO announcements VALUES ('lonely', '${"a".repeat(26)}', '${POSITION}')`,
      ),
      "turns that do not parse, in an account that has nothing else": by(turnRow("'nowhere'", 0)),
      "more events than were counted": by("DELETE FROM tallies"),
      "two aliases with one address": null,
    },
    ineligible: ({ path }, { id }, state) => {
      const change = { inactive: "active = 0", unverified: "verified_at = NULL" };
      write(path, [
        state === "gone"
          ? `DELETE FROM recipients WHERE id = '${id}'`
          : `UPDATE recipients SET ${change[state]}, attached = 0 WHERE id = '${id}'`,
      ]);
    },
    also: {
      repaired: {
        "a negative count, of the last account": found(
          ["attached other theirs: -1; right: 1"],
          "UPDATE recipients SET attached = -1 WHERE id = 'theirs'",
        ),
        "a count of a recipient that no alias lists, and that is inactive": {
          ...found(
            ["attached account free: 1; right: 0"],
            "UPDATE recipients SET attached = 1, active = 0 WHERE id = 'free'",
          ),
          after: async ({ store }) =>
            expect(valueOf(await store.recipients.find(SAMPLES.free.account, SAMPLES.free.id))).toMatchObject(
              {
                attached: 0,
                active: false,
              },
            ),
        },
        "a recipient of a deleted alias, with a count to match": found(
          ["attached account free: 1; right: 0", "leftover account old: 1 in destinations"],
          "INSERT OR IGNORE INTO destinations VALUES ('account', 'old', 0, 'free')",
          "UPDATE recipients SET attached = 1 WHERE id = 'free'",
        ),
        "events of an alias that does not exist": found(
          ["leftover account gone: 2 in events"],
          "INSERT OR IGNORE INTO events VALUES ('account', 'gone', 'e', 1), ('account', 'gone', 'f', 1)",
        ),
        "recipients numbered with a gap": found(
          ["positions account shop: 3 8; right: 0 1"],
          "UPDATE destinations SET position = position * 5 + 3 WHERE alias_id = 'shop' AND position < 2",
        ),
      },
      undecided: {
        "an alias that lists nobody": found(
          ["undecided destination account news: none"],
          "DELETE FROM destinations WHERE alias_id = 'news'; UPDATE recipients SET attached = 1 WHERE id = 'work'",
        ),
        "an alias whose only recipient does not exist": found(
          ["undecided destination account news work: gone"],
          "DELETE FROM destinations WHERE alias_id = 'shop' AND recipient_id = 'work'; DELETE FROM recipients WHERE id = 'work'",
        ),
        "a live alias that remembers destinations, as only deleted ones should": found(
          ["undecided unreadable account news"],
          `UPDATE aliases SET remembered = '[{"recipientId":"free","email":"free@mail.example"}]' WHERE id = 'news'`,
        ),
        "a webhook that has failed, but has no start time": found(LONELY, turnRow(null, 3)),
        "a webhook that has failed more often than a number can hold": found(LONELY, turnRow(null, 2 ** 60)),
        "some of many announcements": found(
          [...LONELY, ...LONELY, ...LONELY],
          many(
            "announcements",
            (wrong) => `'lonely', '${"w".repeat(26)}', name || iif(${wrong}, '', '${POSITION}')`,
          ),
        ),
        "some of many logged messages": found(
          Array.from({ length: 3 }, () => "undecided unreadable account shop"),
          many(
            "logged_messages",
            (wrong) =>
              `'account', 'shop', n % 3, name || '${"m".repeat(23)}', 1, iif(${wrong}, '{}', '${JSON.stringify(MESSAGE_DETAILS)}')`,
          ),
        ),
      },
    },
  },
  import.meta.url,
);

test("a damaged file is reported, and nothing else is compared or repaired", async () => {
  const path = newPath();
  const server = valueOf(sqliteStore({ path, clock: CLOCK }));
  await fillWithSamples(server);
  server.close();
  write(path, ["UPDATE recipients SET attached = 7 WHERE id = 'work'"]);
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(40, 0xff), 0, 40, 4 * 4096);
  closeSync(file);
  const bytes = readFileSync(path);
  using command = new DisposableStack();
  const store = command.adopt(valueOf(sqliteStore({ path, clock: CLOCK, alongside: true })), (each) =>
    each.close(),
  );
  const filled = { store, content: () => null };
  const damaged = [expect.stringMatching(/^undecided file: damaged \((SQLITE_CORRUPT|Tree|\*\*\*)/)];
  expect(await linesOf(filled)).toEqual(damaged);
  expect(await repair(filled, true)).toEqual(damaged);
  expect(readFileSync(path)).toEqual(bytes);
});

test("more differences than are read at a time are found and repaired", async () => {
  const subject = await begin();
  write(subject.path, [
    `WITH RECURSIVE numbers(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < 700)
    INSERT INTO recipients SELECT account, 'more-' || value, value || '@example.org', verified_at, active, 0, nonce, created_at,
      updated_at, version, verification_sent_at, verification_delivery, default_since
    FROM recipients, numbers WHERE id = 'free'`,
    "UPDATE recipients SET attached = attached + 1",
  ]);
  expect(await linesOf(subject)).toHaveLength(705);
  expect(await repair(subject)).toEqual([]);
  expect(await linesOf(subject)).toEqual([]);
});

test("an alias is repaired once its recipient exists again", async () => {
  const subject = await begin();
  const { path } = subject;
  write(path, [
    "CREATE TABLE kept AS SELECT * FROM recipients WHERE id = 'work'",
    "DELETE FROM recipients WHERE id = 'work'",
  ]);
  expect(await repair(subject)).toHaveLength(2);
  write(path, [
    "UPDATE kept SET attached = 0",
    "INSERT INTO recipients SELECT * FROM kept",
    "DROP TABLE kept",
  ]);
  expect(await repair(subject)).toEqual([]);
  expect(brokenRules(path)).toEqual([]);
});
