import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { type SqliteStore, sqliteStore } from "@postern/adapter-sqlite";
import { Alias, NO_LIMITS, parseAccountId, parseEventId, type Store } from "@postern/core";
import { Announcement, type Difference } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { newPath, openStore } from "./support/directory.ts";
import { brokenRules } from "./support/rules.ts";
import {
  ACCOUNT,
  aliasNumber,
  announcementTo,
  MESSAGE_DETAILS,
  NOW,
  recipientNumber,
  replaced,
  webhookNumber,
} from "./support/samples.ts";

let path: string;

const OTHER = valueOf(parseAccountId("other"));

/**
 * Recipients 0 and 1 are attached to alias 0, in this order, and recipient 1 to alias 1; 2 is verified. Alias 3 is deleted and
 * remembers recipient 0; alias 4 is erased. Another account has a recipient 5 with an alias 5.
 */
beforeEach(async () => {
  path = newPath();
  const store = openStore(path);
  const [a, b, c] = [recipientNumber(0), recipientNumber(1), recipientNumber(2)];
  const other = recipientNumber(5, OTHER);
  for (const recipient of [a, b, c, other]) valueOf(await store.recipients.create(recipient, NO_LIMITS));
  const erased = aliasNumber(4, [a]);
  for (const alias of [
    aliasNumber(0, [a, b]),
    aliasNumber(1, [b]),
    { ...aliasNumber(3, [a]), deletedAt: NOW },
    erased,
    aliasNumber(5, [other], OTHER),
  ])
    valueOf(await store.aliases.create(alias, NO_LIMITS));
  valueOf(await store.aliases.erase(erased));
  for (const id of ["one", "two"]) {
    const event = { id: valueOf(parseEventId(id)), outcome: "sent", at: NOW } as const;
    valueOf(await store.aliases.recordOutcome({ account: ACCOUNT, id: aliasNumber(0, [a]).id }, event));
  }
  store.close();
});

/** Writes to the file without its triggers, CHECKs and foreign keys, and puts the triggers back. */
const damage = (...statements: readonly string[]) => {
  using db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  db.exec("PRAGMA ignore_check_constraints = ON");
  const triggers = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  for (const sql of statements) db.exec(sql);
  for (const { sql } of triggers) db.exec(String(sql));
};

/** Everything in the tables, to see what a repair has changed. */
const content = () => {
  using db = new DatabaseSync(path);
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  return Object.fromEntries(tables.map(({ name }) => [name, db.prepare(`SELECT * FROM ${name}`).all()]));
};

const schema = () => {
  using db = new DatabaseSync(path);
  return db.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY name").all();
};

const differencesOf = async (store: SqliteStore): Promise<readonly Difference[]> => {
  const found: Difference[] = [];
  for await (const difference of store.differences(() => {})) found.push(valueOf(difference));
  return found;
};

/** What a check finds, while a server has the file open. */
const check = async () => {
  using store = opened();
  const found = await differencesOf(store.value);
  return found.map(({ kind, account, alias, recipient, stored, right, remedy }) => ({
    kind,
    of: [account, alias, recipient].filter((id) => id !== null).join(" "),
    stored,
    right,
    by: remedy.by,
  }));
};

const opened = () => {
  const value = valueOf(sqliteStore({ path, clock: { now: () => NOW + 9 }, alongside: true }));
  return { value, [Symbol.dispose]: () => value.close() };
};

/** Repairs what can be repaired, like the server's command. Returns what remains. */
const repair = async (detach = false): Promise<readonly Difference[]> => {
  using store = opened();
  const left: Difference[] = [];
  for await (const found of store.value.differences(() => {})) {
    const difference = valueOf(found);
    const { remedy } = difference;
    const repair = remedy.by === "repair" ? remedy.repair : detach ? remedy.detach : null;
    if (repair === null) left.push(difference);
    else valueOf(await repair());
  }
  return left;
};

test("a store that was only ever used through its ports has no differences", async () => {
  {
    using store = opened();
    const webhook = webhookNumber(0);
    valueOf(await store.value.webhooks.create(webhook));
    const announcement = announcementTo(webhook);
    valueOf(await store.value.outbox.announce([announcement, { ...announcement, version: 2 }]));
    const [turn] = valueOf(await store.value.outbox.begin({ now: NOW, until: NOW + 1, limit: 1 }));
    if (turn === undefined) throw new Error("there is no turn");
    const next = { failures: 2, failingSince: NOW, after: POSITION, dueAt: NOW + 1 };
    valueOf(await store.value.outbox.end(turn, next));
  }
  const before = content();
  expect(await check()).toEqual([]);
  expect(await repair(true)).toEqual([]);
  expect(content()).toEqual(before);
});

/** A contact of the account and the alias. */
const contactRow = (account: string, alias: string, email = "bob@sender.example") =>
  `INSERT INTO contacts VALUES ('${account}', '${"c".repeat(26)}', '${alias}', '${email}', 'none', 1, NULL, 1, NULL, 1)`;

/** A logged message of the account and the alias. */
const messageRow = (account: string, alias: string, details: object = MESSAGE_DETAILS, id = "m") =>
  `INSERT INTO logged_messages VALUES ('${account}', '${alias}', 1, '${id.repeat(26)}', 1, '${JSON.stringify(details)}')`;

/** A webhook of an account that has nothing else. */
const webhookRow = (url: string) =>
  `INSERT INTO webhooks VALUES ('lonely', '${"w".repeat(26)}', '${url}', '["alias.created"]',
    'whsec_${"a".repeat(42)}A=', NULL, 1, 1, 1)`;

/** The turns of a webhook of an account that has nothing else. */
const turnRow = (after: string | null = null, failures = 0) =>
  `INSERT INTO webhook_turns VALUES ('lonely', '${"w".repeat(26)}', 1, NULL, ${failures}, NULL, ${after})`;

const POSITION = Announcement.position(announcementTo(webhookNumber(0)));

/** 250 announcements to a webhook, every hundredth of which does not parse: numbers 49, 149 and 249. */
const MANY_ANNOUNCEMENT_ROWS = `
  WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 249)
  INSERT INTO announcements
  SELECT 'lonely', '${"w".repeat(26)}', char(97 + n / 26, 97 + n % 26) || iif(n % 100 = 49, '', '${POSITION}')
  FROM numbers`;

const UNREADABLE = {
  kind: "unreadable",
  of: "lonely",
  stored: "a row that does not parse",
  right: "a valid one",
  by: "operator",
};

/** 250 logged messages of alias 0, every hundredth of which does not parse: numbers 49, 149 and 249. */
const MANY_MESSAGE_ROWS = `
  WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 249)
  INSERT INTO logged_messages
  SELECT 'account', 'alias-000000', n % 3, char(97 + n / 26, 97 + n % 26) || '${"m".repeat(24)}', 1,
    iif(n % 100 = 49, '{}', '${JSON.stringify(MESSAGE_DETAILS)}')
  FROM numbers`;

const RECIPIENT_ROW = `
  SELECT account, 'recipient-9', 'nine@example.org', verified_at, active, attached, nonce, created_at, updated_at, version,
    verification_sent_at, verification_delivery FROM recipients WHERE id = 'recipient-5'`;

describe("a repair fixes", () => {
  test.for([
    [
      "a count that is too high",
      ["UPDATE recipients SET attached = 7 WHERE id = 'recipient-1'"],
      [{ kind: "attached", of: "account recipient-1", stored: "7", right: "2" }],
    ],
    [
      "a count that is too low",
      ["UPDATE recipients SET attached = 0 WHERE id = 'recipient-1'"],
      [{ kind: "attached", of: "account recipient-1", stored: "0", right: "2" }],
    ],
    [
      "a negative count, of the last account",
      ["UPDATE recipients SET attached = -1 WHERE id = 'recipient-5'"],
      [{ kind: "attached", of: "other recipient-5", stored: "-1", right: "1" }],
    ],
    [
      "a count of a recipient that no alias lists, and that is inactive",
      ["UPDATE recipients SET attached = 1, active = 0 WHERE id = 'recipient-2'"],
      [{ kind: "attached", of: "account recipient-2", stored: "1", right: "0" }],
    ],
    [
      "a recipient of a deleted alias",
      ["INSERT INTO destinations VALUES ('account', 'alias-000003', 0, 'recipient-2')"],
      [
        {
          kind: "leftover",
          of: "account alias-000003",
          stored: "1 in destinations",
          right: "none without a live alias",
        },
      ],
    ],
    [
      "a recipient of a deleted alias, with a count to match",
      [
        "INSERT INTO destinations VALUES ('account', 'alias-000003', 0, 'recipient-2')",
        "UPDATE recipients SET attached = 1 WHERE id = 'recipient-2'",
      ],
      [
        {
          kind: "leftover",
          of: "account alias-000003",
          stored: "1 in destinations",
          right: "none without a live alias",
        },
        { kind: "attached", of: "account recipient-2", stored: "1", right: "0" },
      ],
    ],
    [
      "rows of an alias that does not exist, in an account that has nothing else",
      ["destinations VALUES ('gone', 'a', 0, 'r')", "tallies VALUES ('gone', 'a', 'sent', 1, 1)"].map(
        (values) => `INSERT INTO ${values}`,
      ),
      [
        { kind: "leftover", of: "gone a", stored: "1 in destinations", right: "none without a live alias" },
        { kind: "leftover", of: "gone a", stored: "1 in tallies", right: "none without an alias" },
      ],
    ],
    [
      "events of an alias that does not exist",
      ["INSERT INTO events VALUES ('account', 'a', 'e', 1), ('account', 'a', 'f', 1)"],
      [{ kind: "leftover", of: "account a", stored: "2 in events", right: "none without an alias" }],
    ],
    [
      "a contact of an alias that does not exist, in an account that has nothing else",
      [contactRow("gone", "a")],
      [{ kind: "leftover", of: "gone a", stored: "1 in contacts", right: "none without an alias" }],
    ],
    [
      "logged messages of an alias that does not exist, in an account that has nothing else",
      [messageRow("gone", "a"), messageRow("gone", "a", MESSAGE_DETAILS, "n")],
      [{ kind: "leftover", of: "gone a", stored: "2 in logged_messages", right: "none without an alias" }],
    ],
    [
      "recipients numbered with a gap",
      [
        "UPDATE destinations SET position = 7 WHERE alias_id = 'alias-000000' AND recipient_id = 'recipient-0'",
      ],
      [{ kind: "positions", of: "account alias-000000", stored: "1 7", right: "0 1" }],
    ],
    [
      "an alias with a retired address",
      ["INSERT INTO retired_addresses VALUES ('alias-0@alias.example')"],
      [
        {
          kind: "retired",
          of: "account alias-000000",
          stored: "the alias exists, and its address is retired",
          right: "not retired until the alias is erased",
        },
      ],
    ],
  ] as const)("%s", async ([, statements, expected]) => {
    const before = { content: content(), schema: schema() };
    damage(...statements);
    expect(await check()).toEqual(expected.map((difference) => ({ ...difference, by: "repair" })));
    const server = openStore(path);
    expect(await repair()).toEqual([]);
    expect(await check()).toEqual([]);
    expect(brokenRules(path)).toEqual([]);
    expect(schema()).toEqual(before.schema);
    valueOf(await server.ping());
    // Everything is as it was, except for what had been changed for good.
    const { recipients, destinations, ...others } = content();
    const { recipients: wereRecipients, destinations: wereDestinations, ...wereOthers } = before.content;
    expect(others).toEqual(wereOthers);
    if (!statements.join().includes("active = 0")) expect(recipients).toEqual(wereRecipients);
    if (!statements.join().includes("position = 7")) expect(destinations).toEqual(wereDestinations);
  });

  test("a recipient and an alias that could no longer be changed", async () => {
    const [a, b] = [recipientNumber(0), recipientNumber(1)];
    const [alias, erasable] = [aliasNumber(0, [a, b]), aliasNumber(1, [b])];
    damage(
      "UPDATE recipients SET attached = 0 WHERE id = 'recipient-1'",
      "INSERT INTO retired_addresses VALUES ('alias-1@alias.example')",
    );
    const server = openStore(path);
    const unavailable = { error: { code: "unavailable" } };
    expect(await server.aliases.save(alias, replaced(alias, [a]))).toMatchObject(unavailable);
    expect(await server.aliases.save(alias, Alias.delete(alias, NOW))).toMatchObject(unavailable);
    expect(await server.aliases.erase(erasable)).toMatchObject(unavailable);
    expect(await repair()).toEqual([]);
    valueOf(await server.aliases.save(alias, replaced(alias, [a])));
    valueOf(await server.aliases.save(replaced(alias, [a]), Alias.delete(replaced(alias, [a]), NOW)));
    valueOf(await server.aliases.erase(erasable));
    expect(valueOf(await server.recipients.find(ACCOUNT, b.id))?.attached).toBe(0);
    expect(await check()).toEqual([]);
  });
});

describe("differences that only the operator can resolve", () => {
  const row = (state: string, recipient: string, alias = "alias-000000") => ({
    kind: "destination",
    of: `account ${alias} ${recipient}`,
    stored: state,
    right: "verified and active",
    by: "operator",
  });

  test.for([
    ["UPDATE recipients SET active = 0, attached = 0 WHERE id = 'recipient-0'", "inactive"],
    ["UPDATE recipients SET verified_at = NULL, attached = 0 WHERE id = 'recipient-0'", "unverified"],
    ["DELETE FROM recipients WHERE id = 'recipient-0'", "gone"],
  ] as const)(
    "a recipient that must not receive mail is left, and detached on request: %s",
    async ([sql, state]) => {
      damage(sql);
      const before = content();
      expect(await check()).toEqual([row(state, "recipient-0")]);
      expect(await repair()).toHaveLength(1);
      expect(content()).toEqual(before);
      expect(await repair(true)).toEqual([]);
      expect(await check()).toEqual([]);
      expect(brokenRules(path)).toEqual([]);
      const alias = valueOf(
        await openStore(path).aliases.findByEmail(aliasNumber(0, [recipientNumber(1)]).email),
      );
      expect(alias).toMatchObject({
        destinations: [{ recipientId: "recipient-1" }],
        version: 2,
        updatedAt: NOW + 9,
        deletedAt: null,
      });
    },
  );

  test("an alias without any other recipient is deleted on request, and can be restored", async () => {
    damage("UPDATE recipients SET active = 0, attached = 0 WHERE id = 'recipient-1'");
    expect(await check()).toEqual([
      row("inactive", "recipient-1"),
      row("inactive", "recipient-1", "alias-000001"),
    ]);
    expect(await repair(true)).toEqual([]);
    expect(await check()).toEqual([]);
    expect(brokenRules(path)).toEqual([]);
    const store = openStore(path);
    const [b, c] = [recipientNumber(1), recipientNumber(2)];
    const deleted = valueOf(await store.aliases.findByEmail(aliasNumber(1, [b]).email));
    expect(deleted).toMatchObject({ deletedAt: NOW + 9, destinations: [{ recipientId: b.id }], version: 2 });
    if (deleted === null) return;
    valueOf(await store.aliases.save(deleted, valueOf(Alias.restore(deleted, [c.id], [c], NOW + 10))));
    expect(await check()).toEqual([]);
  });

  test.for([
    [
      "the only recipient is gone",
      "DELETE FROM recipients WHERE id = 'recipient-1'",
      [row("gone", "recipient-1"), row("gone", "recipient-1", "alias-000001")],
      [row("gone", "recipient-1", "alias-000001")],
    ],
    [
      "an alias lists no recipients",
      "DELETE FROM destinations WHERE alias_id = 'alias-000001'; UPDATE recipients SET attached = 1 WHERE id = 'recipient-1'",
      [
        {
          kind: "destination",
          of: "account alias-000001",
          stored: "none",
          right: "at least one",
          by: "operator",
        },
      ],
      null,
    ],
    [
      "fewer events are counted than remembered",
      "UPDATE tallies SET count = 1",
      [
        {
          kind: "tallies",
          of: "account alias-000000",
          stored: "1 counted",
          right: "2 or more",
          by: "operator",
        },
      ],
      null,
    ],
    [
      "an alias does not parse",
      "UPDATE aliases SET email = 'none' WHERE id = 'alias-000001'",
      [
        {
          kind: "unreadable",
          of: "account alias-000001",
          stored: "a row that does not parse",
          right: "a valid one",
          by: "operator",
        },
      ],
      null,
    ],
    [
      "a live alias remembers destinations, as only deleted ones should",
      `UPDATE aliases SET remembered = '[{"recipientId":"recipient-2","email":"mailbox-2@example.org"}]' WHERE id = 'alias-000001'`,
      [
        {
          kind: "unreadable",
          of: "account alias-000001",
          stored: "a row that does not parse",
          right: "a valid one",
          by: "operator",
        },
      ],
      null,
    ],
    [
      "a contact does not parse",
      contactRow("account", "alias-000001", "nobody"),
      [
        {
          kind: "unreadable",
          of: "account alias-000001",
          stored: "a row that does not parse",
          right: "a valid one",
          by: "operator",
        },
      ],
      null,
    ],
    [
      "two of three logged messages do not parse",
      [
        messageRow("account", "alias-000000"),
        messageRow("account", "alias-000001", { ...MESSAGE_DETAILS, direction: "sideways" }),
        messageRow("account", "alias-000003", {}),
      ].join("; "),
      ["alias-000001", "alias-000003"].map((alias) => ({
        kind: "unreadable",
        of: `account ${alias}`,
        stored: "a row that does not parse",
        right: "a valid one",
        by: "operator",
      })),
      null,
    ],
    [
      "some of many logged messages do not parse",
      MANY_MESSAGE_ROWS,
      Array.from({ length: 3 }, () => ({
        kind: "unreadable",
        of: "account alias-000000",
        stored: "a row that does not parse",
        right: "a valid one",
        by: "operator",
      })),
      null,
    ],
    [
      "a blocked sender does not parse, in an account that has nothing else",
      `INSERT INTO blocked_senders VALUES ('lonely', '${"b".repeat(26)}', 'nobody', 1)`,
      [
        {
          kind: "unreadable",
          of: "lonely",
          stored: "a row that does not parse",
          right: "a valid one",
          by: "operator",
        },
      ],
      null,
    ],
    [
      "a webhook does not parse, in an account that has nothing else",
      webhookRow("http://service.example/"),
      [UNREADABLE],
      null,
    ],
    [
      "some of many announcements do not parse, in an account that has nothing else",
      MANY_ANNOUNCEMENT_ROWS,
      Array.from({ length: 3 }, () => UNREADABLE),
      null,
    ],
    [
      "the position where a turn continues does not parse, in an account that has nothing else",
      turnRow("'nowhere'"),
      [UNREADABLE],
      null,
    ],
    ["a webhook has failed, but has no start time", turnRow(null, 3), [UNREADABLE], null],
    ["a webhook has failed more often than a number can hold", turnRow(null, 2 ** 60), [UNREADABLE], null],
    [
      "a recipient does not parse",
      "UPDATE recipients SET version = -3 WHERE id = 'recipient-2'",
      [
        {
          kind: "unreadable",
          of: "account recipient-2",
          stored: "a row that does not parse",
          right: "a valid one",
          by: "operator",
        },
      ],
      null,
    ],
  ] as const)("are left, even on request: %s", async ([, sql, expected, left]) => {
    damage(sql);
    expect(await check()).toEqual(expected);
    await repair(true);
    expect(await check()).toEqual(left ?? expected);
  });

  test("an alias is repaired once its recipient exists again", async () => {
    damage("DELETE FROM recipients WHERE id = 'recipient-1'");
    expect(await repair()).toHaveLength(2);
    damage(
      `INSERT INTO recipients ${RECIPIENT_ROW.replace("'recipient-9', 'nine@example.org'", "'recipient-1', 'mailbox-1@example.org'").replace("SELECT account", "SELECT 'account'").replace("attached", "0")}`,
    );
    expect(await repair()).toEqual([]);
    expect(brokenRules(path)).toEqual([]);
  });
});

test("a damaged file is reported, and nothing else is compared or repaired", async () => {
  damage("UPDATE recipients SET attached = 7 WHERE id = 'recipient-1'");
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(40, 0xff), 0, 40, 4 * 4096);
  closeSync(file);
  const bytes = readFileSync(path);
  expect(await check()).toEqual([
    {
      kind: "file",
      of: "",
      stored: expect.stringMatching(/^damaged \((SQLITE_CORRUPT|Tree|\*\*\*)/),
      right: "intact",
      by: "operator",
    },
  ]);
  expect(await repair(true)).toHaveLength(1);
  expect(readFileSync(path)).toEqual(bytes);
});

test("more differences than are read at a time are found and repaired", async () => {
  damage(`
    WITH RECURSIVE numbers(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < 120)
    INSERT INTO recipients SELECT account, 'more-' || value, value || '@example.org', verified_at, active, 0, nonce, created_at,
      updated_at, version, verification_sent_at, verification_delivery
    FROM recipients, numbers WHERE id = 'recipient-2'`);
  damage("UPDATE recipients SET attached = attached + 1");
  expect(await check()).toHaveLength(124);
  expect(await repair()).toEqual([]);
  expect(await check()).toEqual([]);
});

/** Makes the writes of a server's users, until `done`. */
const traffic = async (store: Store, done: () => boolean) => {
  const recipients = [10, 11, 12].map((n) => recipientNumber(n));
  for (const recipient of recipients) valueOf(await store.recipients.create(recipient, NO_LIMITS));
  let writes = 0;
  for (let n = 1_000; !done(); n += 1) {
    const alias = aliasNumber(
      n,
      [recipients[n % 3], recipients[(n + 1) % 3]].filter((each) => each !== undefined),
    );
    valueOf(await store.aliases.create(alias, NO_LIMITS));
    const after = replaced(alias, recipients.slice(0, 1 + (n % 3)));
    if (after !== alias) valueOf(await store.aliases.save(alias, after));
    if (n % 4 === 0) valueOf(await store.aliases.erase(after));
    writes += 1;
  }
  return writes;
};

test("while a server writes, its unfinished writes are not differences, and a repair breaks nothing", async () => {
  const server = openStore(path);
  let done = false;
  const writing = traffic(server, () => done);
  for (let n = 0; n < 5; n += 1) expect(await check()).toEqual([]);
  damage(
    "UPDATE recipients SET attached = attached + 1 WHERE id = 'recipient-2'",
    "INSERT INTO retired_addresses VALUES ('alias-0@alias.example')",
  );
  for (let n = 0; n < 3; n += 1) expect(await repair()).toEqual([]);
  done = true;
  expect(await writing).toBeGreaterThan(5);
  expect(await check()).toEqual([]);
  expect(brokenRules(path)).toEqual([]);
});

/** Damage that can be repaired without a decision, so that everything is as before. */
const damages = fc.constantFrom(
  "UPDATE recipients SET attached = attached + 3 WHERE id = 'recipient-1'",
  "UPDATE recipients SET attached = 0",
  "UPDATE recipients SET attached = -1 WHERE id = 'recipient-5'",
  "INSERT OR IGNORE INTO destinations VALUES ('account', 'alias-000003', 0, 'recipient-1')",
  "INSERT OR IGNORE INTO destinations VALUES ('account', 'nowhere', 4, 'recipient-0')",
  "INSERT OR IGNORE INTO events VALUES ('other', 'nowhere', 'e', 1)",
  "INSERT OR IGNORE INTO tallies VALUES ('other', 'nowhere', 'sent', 2, 1)",
  "UPDATE destinations SET position = position + 3",
  "INSERT OR IGNORE INTO retired_addresses VALUES ('alias-0@alias.example')",
  "INSERT OR IGNORE INTO retired_addresses VALUES ('alias-5@alias.example')",
);

test("any damage that needs no decision is repaired, and everything is as before", async () => {
  const before = content();
  await fc.assert(
    fc.asyncProperty(fc.array(damages, { minLength: 1, maxLength: 6 }), async (statements) => {
      damage(
        ...statements.filter((sql, i) => !sql.includes("position + 3") || statements.indexOf(sql) === i),
      );
      expect(await repair()).toEqual([]);
      expect(content()).toEqual(before);
      expect(brokenRules(path)).toEqual([]);
    }),
    { numRuns: 10 },
  );
  expect(await check()).toEqual([]);
});
