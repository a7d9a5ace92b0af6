import { DatabaseSync } from "node:sqlite";
import { sqliteStore } from "@postern/adapter-sqlite";
import { NO_LIMITS, parseAccountId, parseEventId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { newPath } from "./support/directory.ts";
import { brokenRules } from "./support/rules.ts";
import { ACCOUNT, aliasNumber, NOW, recipientNumber } from "./support/samples.ts";

let path: string;

const run = (sql: string) => {
  using db = new DatabaseSync(path);
  db.exec("PRAGMA recursive_triggers = ON");
  db.exec(sql);
};

/**
 * Recipients 0 and 1 are attached to alias 0; 2 is verified, 3 is not, 4 is inactive, 5 is another account's. Alias 1
 * is deleted, alias 2 erased.
 */
beforeEach(async () => {
  path = newPath();
  const store = valueOf(sqliteStore({ path, clock: { now: () => NOW } }));
  const [a, b] = [recipientNumber(0), recipientNumber(1)];
  const others = [
    recipientNumber(2),
    { ...recipientNumber(3), verifiedAt: null },
    { ...recipientNumber(4), active: false },
    recipientNumber(5, valueOf(parseAccountId("other"))),
  ];
  for (const recipient of [a, b, ...others]) valueOf(await store.recipients.create(recipient, NO_LIMITS));
  const [live, deleted, erased] = [aliasNumber(0, [a, b]), aliasNumber(1, [a]), aliasNumber(2, [a])];
  for (const alias of [live, { ...deleted, deletedAt: NOW }, erased])
    valueOf(await store.aliases.create(alias, NO_LIMITS));
  valueOf(await store.aliases.erase(erased));
  const event = { id: valueOf(parseEventId("e")), outcome: "sent", at: NOW } as const;
  valueOf(await store.aliases.recordOutcome(live, event));
  store.close();
  expect(brokenRules(path)).toEqual([]);
});

const destination = (position: number, recipient: string, alias = "alias-000000") =>
  `INSERT INTO destinations VALUES ('${ACCOUNT}', '${alias}', ${position}, '${recipient}')`;

const alias = (id: string, email: string, deletedAt = "NULL", remembered = "NULL") => `
  INSERT INTO aliases (account, id, email, description, active, remembered, created_at, updated_at, deleted_at, version)
  VALUES ('${ACCOUNT}', '${id}', '${email}', '', 1, ${remembered}, 0, 0, ${deletedAt}, 1)`;

const recipient = (id: string, email: string, attached = 0, active = 1) => `
  INTO recipients (account, id, email, verified_at, active, attached, nonce, verification_sent_at, created_at, updated_at, version)
  VALUES ('${ACCOUNT}', '${id}', '${email}', 0, ${active}, ${attached}, 'n', NULL, 0, 0, 1)`;

const contact = (alias: string, email: string, id = "c") =>
  `INSERT INTO contacts VALUES ('${ACCOUNT}', '${id.repeat(26)}', '${alias}', '${email}', 'none', 1, NULL, 1, NULL, 1, 0)`;

const blocked = (sender: string, id: string) =>
  `INSERT INTO blocked_senders VALUES ('${ACCOUNT}', '${id.repeat(26)}', '${sender}', 1)`;

const message = (alias: string) =>
  `INSERT INTO logged_messages VALUES ('${ACCOUNT}', '${alias}', 1, '${"m".repeat(26)}', 2, '{}')`;

const webhook = (id: string, fields: { readonly off?: string; readonly events?: string } = {}) => {
  const { off = "NULL", events = '["alias.created"]' } = fields;
  return `INSERT INTO webhooks VALUES ('${ACCOUNT}', '${id.repeat(26)}', 'https://a.example/', '${events}', 's', ${off}, 1, 1, 1)`;
};

/** Makes a webhook due. */
const due = (id: string, columns = "", values = "") =>
  `INSERT INTO webhook_turns (account, webhook, due_at${columns}) VALUES ('${ACCOUNT}', '${id.repeat(26)}', 1${values})`;

const announcement = (id: string) =>
  `INSERT INTO announcements VALUES ('${ACCOUNT}', '${id.repeat(26)}', 'p')`;

const creation = (id: string, at: number, kind = "alias") =>
  `INSERT INTO creations VALUES ('${ACCOUNT}', 'key', 'fingerprint', '${kind}', '${id}', ${at}, ${at} + 86400000)`;

const apiKey = (
  id: string,
  fields: { readonly hash?: string; readonly use?: string; readonly recipients?: string } = {},
) => {
  const { hash = id, use = "1, 'program'", recipients = "NULL" } = fields;
  return `INSERT INTO api_keys VALUES ('${ACCOUNT}', '${id.repeat(26)}', '${hash}', 'n', '[]', NULL, ${recipients}, NULL, 1, ${use})`;
};

/** Deletes alias 0 and everything that belongs to it. */
const ERASURE = ["destinations", "tallies", "events", "aliases"]
  .map((table) => `DELETE FROM ${table} WHERE 'alias-000000' = ${table === "aliases" ? "id" : "alias_id"}`)
  .join("; ");

describe("a program that ignores the rules", () => {
  test.for([
    ["an attachment", destination(2, "recipient-2")],
    ["a swap", `BEGIN; DELETE FROM destinations; ${destination(0, "recipient-2")}; COMMIT`],
    ["a deletion", "UPDATE aliases SET deleted_at = 9, remembered = '[]' WHERE id = 'alias-000000'"],
    ["a new recipient", `INSERT ${recipient("new", "new@example.org")}`],
    ["a count", "UPDATE tallies SET count = count + 1"],
    ["an erasure", `BEGIN; ${ERASURE}; COMMIT`],
    ["a new description", "UPDATE aliases SET description = 'Other words'"],
    ["words that are not indexed", "UPDATE aliases SET words = NULL"],
    ["a webhook", webhook("w", { off: "'gone'" })],
    ["an announcement", `${due("w")}; ${announcement("w")}`],
    [
      "an API key and its use",
      `${apiKey("k", { use: "NULL, NULL" })}; UPDATE api_keys SET last_used_at = 0, last_used_by = 'browser'`,
    ],
    ["a retirement", "INSERT INTO retired_addresses VALUES ('free@alias.example')"],
  ] as const)("is allowed %s", ([, sql]) => {
    run(sql);
    expect(brokenRules(path).filter((rule) => !rule.includes("remembers"))).toEqual([]);
  });

  test.for([
    // Rule 1
    ["lists a recipient twice", destination(2, "recipient-0"), /UNIQUE.*recipient_id/],
    ["lists two recipients at one position", destination(0, "recipient-2"), /UNIQUE.*position/],
    ["lists a forty-first recipient", destination(40, "recipient-2"), /CHECK.*position/],
    [
      "changes the recipient at a position",
      "UPDATE destinations SET recipient_id = 'recipient-2'",
      /never changed/,
    ],
    // Rule 8
    [
      "adds a contact to an alias that does not exist",
      contact("nothing", "bob@sender.example"),
      /FOREIGN KEY/,
    ],
    [
      "adds a contact with the address of another contact of the alias",
      `${contact("alias-000000", "bob@sender.example")}; ${contact("alias-000000", "BOB@sender.example", "d")}`,
      /UNIQUE.*email/,
    ],
    [
      "adds a contact with the id of another contact",
      `${contact("alias-000000", "bob@sender.example")}; ${contact("alias-000001", "eve@sender.example")}`,
      /UNIQUE/,
    ],
    [
      "changes the address of a contact",
      `${contact("alias-000000", "bob@sender.example")}; UPDATE contacts SET email = 'eve@sender.example'`,
      /never change/,
    ],
    [
      "erases an alias, but not its contacts",
      `BEGIN; ${contact("alias-000000", "bob@sender.example")}; ${ERASURE}; COMMIT`,
      /FOREIGN KEY/,
    ],
    // Rule 9
    [
      "blocks a sender twice",
      `${blocked("Bob@sender.example", "b")}; ${blocked("BOB@sender.example", "c")}`,
      /UNIQUE.*sender/,
    ],
    [
      "blocks two senders with one id",
      `${blocked("a.example", "b")}; ${blocked("b.example", "b")}`,
      /UNIQUE/,
    ],
    [
      "changes a blocked sender",
      `${blocked("a.example", "b")}; UPDATE blocked_senders SET sender = 'b.example'`,
      /never changes/,
    ],
    // Rule 10
    ["logs a message of an alias that does not exist", message("nothing"), /FOREIGN KEY/],
    [
      "erases an alias and leaves its log",
      `BEGIN; ${message("alias-000000")}; ${ERASURE}; COMMIT`,
      /FOREIGN KEY/,
    ],
    ["logs a message twice", `${message("alias-000000")}; ${message("alias-000000")}`, /UNIQUE/],
    [
      "puts back an earlier revision",
      `${message("alias-000000")}; UPDATE logged_messages SET revision = 1`,
      /revision goes up/,
    ],
    [
      "changes when a message arrived",
      `${message("alias-000000")}; UPDATE logged_messages SET at = 2, revision = 3`,
      /stays itself/,
    ],
    // Rule 12
    ["registers two webhooks with one id", `${webhook("w")}; ${webhook("w")}`, /UNIQUE/],
    ["changes the secret of a webhook", `${webhook("w")}; UPDATE webhooks SET secret = 't'`, /never change/],
    ["switches a webhook off for no known reason", webhook("w", { off: "'maybe'" }), /CHECK.*off/],
    ["writes events that are not JSON", webhook("w", { events: "alias.created" }), /CHECK.*json_valid/],
    // Rule 13
    ["announces something to a webhook that is not due", announcement("w"), /FOREIGN KEY/],
    [
      "announces something to a webhook that has only failed",
      `${due("w", ", failures, failing_since", ", 1, 1")}; UPDATE webhook_turns SET due_at = NULL; ${announcement("w")}`,
      /is due/,
    ],
    [
      "forgets that a webhook is due",
      `${due("w")}; ${announcement("w")}; UPDATE webhook_turns SET due_at = NULL`,
      /is due/,
    ],
    [
      "forgets a webhook that something is announced to",
      `${due("w")}; ${announcement("w")}; DELETE FROM webhook_turns`,
      /FOREIGN KEY/,
    ],
    ["announces the same thing twice", `${due("w")}; ${announcement("w")}; ${announcement("w")}`, /UNIQUE/],
    [
      "changes an announcement",
      `${due("w")}; ${announcement("w")}; UPDATE announcements SET position = 'q'`,
      /never changes/,
    ],
    [
      "gives a turn to a webhook that is not due",
      `${due("w")}; UPDATE webhook_turns SET due_at = NULL, leased_until = 2`,
      /has a turn/,
    ],
    ["counts failures without a start time", due("w", ", failures", ", 1"), /CHECK.*fails/],
    [
      "counts a negative number of failures",
      due("w", ", failures, failing_since", ", -1, 1"),
      /CHECK.*failures/,
    ],
    // Rule 14
    ["creates something else with a key", `${creation("c", 1)}; ${creation("c", 90_000_000)}`, /UNIQUE/],
    [
      "forgets what a key has created",
      `${creation("c", 1)}; UPDATE creations SET id = 'other', at = 86400000`,
      /until it expires/,
    ],
    ["creates something unknown with a key", creation("c", 1, "contact"), /CHECK.*kind/],
    // Rule 15
    ["stores two API keys with one id", `${apiKey("k")}; ${apiKey("k", { hash: "l" })}`, /UNIQUE.*id/],
    ["stores two API keys with one hash", `${apiKey("k")}; ${apiKey("l", { hash: "k" })}`, /UNIQUE.*hash/],
    [
      "gives an API key another scope",
      `${apiKey("k")}; UPDATE api_keys SET scopes = '["aliases:read"]'`,
      /only the last use/,
    ],
    [
      "takes back the last use of an API key",
      `${apiKey("k")}; UPDATE api_keys SET last_used_at = 0`,
      /never goes back/,
    ],
    [
      "forgets the last use of an API key",
      `${apiKey("k")}; UPDATE api_keys SET last_used_at = NULL, last_used_by = NULL`,
      /never goes back/,
    ],
    ["stores a use without a program", apiKey("k", { use: "1, NULL" }), /CHECK.*a use has/],
    [
      "writes recipients of an API key that are not JSON",
      apiKey("k", { recipients: "'work'" }),
      /CHECK.*json_valid/,
    ],
    // Rule 2
    ["detaches the last recipient", "DELETE FROM destinations", /FOREIGN KEY/],
    ["creates an alias without recipients", alias("new", "new@alias.example"), /FOREIGN KEY/],
    [
      "restores an alias without recipients",
      "UPDATE aliases SET deleted_at = NULL, remembered = NULL WHERE deleted = 1",
      /FOREIGN KEY/,
    ],
    // Rule 3
    ["attaches an unverified recipient", destination(2, "recipient-3"), /is verified and active/],
    ["attaches an inactive recipient", destination(2, "recipient-4"), /is verified and active/],
    ["attaches an unknown recipient", destination(2, "nobody"), /FOREIGN KEY/],
    ["attaches to a deleted alias", destination(0, "recipient-2", "alias-000001"), /holds nobody/],
    [
      "deactivates an attached recipient",
      "UPDATE recipients SET active = 0 WHERE id = 'recipient-0'",
      /stays verified/,
    ],
    [
      "unverifies an attached recipient",
      "UPDATE recipients SET verified_at = NULL WHERE id = 'recipient-0'",
      /stays verified/,
    ],
    [
      "deactivates an attached recipient after setting its count to 0",
      "UPDATE recipients SET attached = 0, active = 0 WHERE id = 'recipient-0'",
      /stays verified/,
    ],
    ["removes an attached recipient", "DELETE FROM recipients WHERE id = 'recipient-0'", /FOREIGN KEY/],
    [
      "replaces an attached recipient",
      `REPLACE ${recipient("recipient-0", "mailbox-0@example.org", 0, 0)}`,
      /holds a new recipient/,
    ],
    [
      "sets a negative count of aliases",
      "UPDATE recipients SET attached = -1 WHERE id = 'recipient-2'",
      /CHECK.*attached/,
    ],
    [
      "sets a count for a recipient that must not be attached",
      "UPDATE recipients SET attached = 1 WHERE id = 'recipient-3'",
      /CHECK/,
    ],
    [
      "adds a recipient as attached",
      `INSERT ${recipient("new", "new@example.org", 1)}`,
      /holds a new recipient/,
    ],
    [
      "deletes an alias without remembering its destinations",
      "UPDATE aliases SET deleted_at = 9",
      /remembers/,
    ],
    [
      "remembers something that is not JSON",
      "UPDATE aliases SET remembered = '{' WHERE deleted = 1",
      /CHECK.*json_valid/,
    ],
    // Rule 4
    ["decrements a tally", "UPDATE tallies SET count = count - 1", /goes up/],
    ["moves a last time back", "UPDATE tallies SET count = 9, last_at = 0", /never back/],
    [
      "counts an unknown outcome",
      `INSERT INTO tallies VALUES ('${ACCOUNT}', 'alias-000000', 'read', 1, 0)`,
      /CHECK/,
    ],
    // Rule 5
    ["attaches another account's recipient", destination(2, "recipient-5"), /FOREIGN KEY/],
    ["moves an alias to another account", "UPDATE aliases SET account = 'other'", /never change/],
    [
      "moves a recipient to another account",
      "UPDATE recipients SET account = 'x' WHERE id = 'recipient-2'",
      /never change/,
    ],
    // Rule 6
    ["takes an alias's address", alias("new", "ALIAS-0@alias.example", "9", "'[]'"), /UNIQUE.*aliases.email/],
    [
      "takes a recipient's address",
      `INSERT ${recipient("new", "MAILBOX-0@example.org")}`,
      /UNIQUE.*recipients.email/,
    ],
    // Rule 7
    [
      "creates an alias at a retired address",
      alias("new", "ALIAS-2@alias.example", "9", "'[]'"),
      /is retired/,
    ],
    [
      "replaces a deleted alias with another at its address",
      `REPLACE ${alias("new", "alias-1@alias.example", "9", "'[]'").replace("INSERT", "")}`,
      /is retired/,
    ],
    [
      "retires the address of an alias",
      "INSERT INTO retired_addresses VALUES ('alias-0@alias.example')",
      /an alias has/,
    ],
    ["makes a retired address available", "DELETE FROM retired_addresses", /stays retired/],
    [
      "changes a retired address",
      "UPDATE retired_addresses SET address = 'x@alias.example'",
      /never changes/,
    ],
    [
      "replaces a retired address",
      "REPLACE INTO retired_addresses VALUES ('alias-2@alias.example')",
      /stays retired/,
    ],
    [
      "retires an address in upper case",
      "INSERT INTO retired_addresses VALUES ('Free@alias.example')",
      /CHECK.*lower/,
    ],
    [
      "erases an alias but not its events",
      `BEGIN; ${ERASURE.replace("DELETE FROM events", "SELECT 1 FROM events")}; COMMIT`,
      /FOREIGN KEY/,
    ],
    // Words
    ["writes words that are not JSON", "UPDATE aliases SET words = 'shop'", /CHECK.*json_valid/],
    ["writes a word twice", `UPDATE aliases SET words = '["shop", "shop"]'`, /UNIQUE.*word/],
    // Types
    ["writes text where a time belongs", "UPDATE aliases SET updated_at = 'now'", /cannot store TEXT/],
  ] as const)("is refused when it %s", ([, sql, message]) => {
    expect(() => run(sql)).toThrow(message);
    expect(brokenRules(path)).toEqual([]);
  });
});

test.for([
  ["UPDATE recipients SET attached = attached + 1 WHERE id = 'recipient-0'", /is how many aliases/],
  ["DELETE FROM destinations", /live alias has recipients/],
  ["UPDATE aliases SET deleted_at = 1, remembered = '[1]'", /deleted alias has no recipients/],
  ["UPDATE recipients SET active = 0", /verified and active/],
  ["DELETE FROM recipients WHERE id = 'recipient-0'", /foreign keys/],
  ["INSERT INTO retired_addresses VALUES ('alias-0@alias.example')", /retired address has no alias/],
  ["UPDATE destinations SET position = position + 1 WHERE position > 0", /without a gap/],
  [announcement("w"), /announced to is due/],
] as const)("brokenRules detects what the schema would refuse: %s", ([sql, rule]) => {
  using db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  db.exec("PRAGMA ignore_check_constraints = ON");
  const triggers = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  db.exec(sql);
  expect(brokenRules(path)).toContainEqual(expect.stringMatching(rule));
});
