import { DatabaseSync } from "node:sqlite";
import { sqliteStore } from "@postern/adapter-sqlite";
import { AccountId, EventId } from "@postern/core";
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

/** Recipients 0 and 1 held by alias 0, 2 verified, 3 not, 4 inactive, 5 of another account; alias 1 is deleted. */
beforeEach(async () => {
  path = newPath();
  const store = sqliteStore({ path, clock: { now: () => NOW } })._unsafeUnwrap();
  const [a, b] = [recipientNumber(0), recipientNumber(1)];
  const others = [
    recipientNumber(2),
    { ...recipientNumber(3), verifiedAt: null },
    { ...recipientNumber(4), active: false },
    recipientNumber(5, AccountId.parse("other")),
  ];
  for (const recipient of [a, b, ...others]) (await store.recipients.create(recipient))._unsafeUnwrap();
  const [held, gone] = [aliasNumber(0, [a, b]), aliasNumber(1, [a])];
  for (const alias of [held, { ...gone, deletedAt: NOW }])
    (await store.aliases.create(alias))._unsafeUnwrap();
  const event = { id: EventId.parse("e"), outcome: "sent", at: NOW } as const;
  (await store.aliases.recordOutcome(held, event))._unsafeUnwrap();
  store.close();
  expect(brokenRules(path)).toEqual([]);
});

const destination = (position: number, recipient: string, alias = "alias-000000") =>
  `INSERT INTO destinations VALUES ('${ACCOUNT}', '${alias}', ${position}, '${recipient}')`;

const alias = (id: string, email: string, deletedAt = "NULL", remembered = "NULL") => `
  INSERT INTO aliases (account, id, email, description, active, remembered, created_at, updated_at, deleted_at, version)
  VALUES ('${ACCOUNT}', '${id}', '${email}', '', 1, ${remembered}, 0, 0, ${deletedAt}, 1)`;

const recipient = (id: string, email: string, attached = 0, active = 1) => `
  INTO recipients (account, id, email, verified_at, active, attached, nonce, mailed_at, created_at, updated_at, version)
  VALUES ('${ACCOUNT}', '${id}', '${email}', 0, ${active}, ${attached}, 'n', '[]', 0, 0, 1)`;

describe("a writer that knows no rules", () => {
  test.for([
    ["what is right", destination(2, "recipient-2")],
    ["a swap", `BEGIN; DELETE FROM destinations; ${destination(0, "recipient-2")}; COMMIT`],
    ["a deletion", "UPDATE aliases SET deleted_at = 9, remembered = '[]' WHERE id = 'alias-000000'"],
    ["a new recipient", `INSERT ${recipient("new", "new@example.org")}`],
    ["a count", "UPDATE tallies SET count = count + 1"],
  ] as const)("may do %s", ([, sql]) => {
    run(sql);
    expect(brokenRules(path).filter((rule) => !rule.includes("remembers"))).toEqual([]);
  });

  test.for([
    // Rule 1
    ["lists a recipient twice", destination(2, "recipient-0"), /UNIQUE.*recipient_id/],
    ["lists two at one place", destination(0, "recipient-2"), /UNIQUE.*position/],
    ["lists a forty-first", destination(40, "recipient-2"), /CHECK.*position/],
    ["puts another one in a place", "UPDATE destinations SET recipient_id = 'recipient-2'", /never changed/],
    // Rule 2
    ["takes out the last one", "DELETE FROM destinations", /FOREIGN KEY/],
    ["creates an alias for nobody", alias("new", "new@alias.example"), /FOREIGN KEY/],
    [
      "restores an alias for nobody",
      "UPDATE aliases SET deleted_at = NULL, remembered = NULL WHERE deleted = 1",
      /FOREIGN KEY/,
    ],
    // Rule 3
    ["attaches an unverified recipient", destination(2, "recipient-3"), /is verified and active/],
    ["attaches an inactive recipient", destination(2, "recipient-4"), /is verified and active/],
    ["attaches an unknown recipient", destination(2, "nobody"), /FOREIGN KEY/],
    ["attaches to a deleted alias", destination(0, "recipient-2", "alias-000001"), /holds nobody/],
    [
      "deactivates a held recipient",
      "UPDATE recipients SET active = 0 WHERE id = 'recipient-0'",
      /stays verified/,
    ],
    [
      "unverifies a held recipient",
      "UPDATE recipients SET verified_at = NULL WHERE id = 'recipient-0'",
      /stays verified/,
    ],
    [
      "deactivates a held recipient, with its count set to 0",
      "UPDATE recipients SET attached = 0, active = 0 WHERE id = 'recipient-0'",
      /stays verified/,
    ],
    ["removes a held recipient", "DELETE FROM recipients WHERE id = 'recipient-0'", /FOREIGN KEY/],
    [
      "replaces a held recipient",
      `REPLACE ${recipient("recipient-0", "mailbox-0@example.org", 0, 0)}`,
      /holds a new recipient/,
    ],
    [
      "counts below nothing",
      "UPDATE recipients SET attached = -1 WHERE id = 'recipient-2'",
      /CHECK.*attached/,
    ],
    [
      "counts for a recipient that may not be held",
      "UPDATE recipients SET attached = 1 WHERE id = 'recipient-3'",
      /CHECK/,
    ],
    ["adds a recipient as held", `INSERT ${recipient("new", "new@example.org", 1)}`, /holds a new recipient/],
    ["deletes an alias and forgets its recipients", "UPDATE aliases SET deleted_at = 9", /remembers/],
    // Rule 4
    ["counts backwards", "UPDATE tallies SET count = count - 1", /goes up/],
    ["sets a last time back", "UPDATE tallies SET count = 9, last_at = 0", /never back/],
    [
      "counts what is no outcome",
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
    // Types
    ["writes a text for a time", "UPDATE aliases SET updated_at = 'now'", /cannot store TEXT/],
  ] as const)("cannot do this: it %s", ([, sql, message]) => {
    expect(() => run(sql)).toThrow(message);
    expect(brokenRules(path)).toEqual([]);
  });
});

test.for([
  ["UPDATE recipients SET attached = attached + 1 WHERE id = 'recipient-0'", /attached to as many/],
  ["DELETE FROM destinations", /not deleted has recipients/],
  ["UPDATE aliases SET deleted_at = 1, remembered = '[1]'", /deleted alias holds nobody/],
  ["UPDATE recipients SET active = 0", /verified and active/],
  ["DELETE FROM recipients WHERE id = 'recipient-0'", /foreign keys/],
  ["UPDATE destinations SET position = position + 1 WHERE position > 0", /without a gap/],
] as const)("the check of the rules sees it when it was done all the same: %s", ([sql, rule]) => {
  using db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  db.exec("PRAGMA ignore_check_constraints = ON");
  const triggers = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  db.exec(sql);
  expect(brokenRules(path)).toContainEqual(expect.stringMatching(rule));
});
