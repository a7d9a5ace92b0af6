import type { PostgresStore } from "@postern/adapter-postgres";
import { Alias, NO_LIMITS, parseAccountId, parseEventId, type Result, type Unavailable } from "@postern/core";
import { Announcement, type Difference } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { beforeEach, describe, expect, test } from "vitest";
import {
  ACCOUNT,
  aliasNumber,
  announcementTo,
  MESSAGE_DETAILS,
  NOW,
  recipientNumber,
  replaced,
  webhookNumber,
} from "../../adapter-sqlite/test/support/samples.ts";
import { openStore, usePostgres } from "./support/use-postgres.ts";

const postgres = usePostgres();
const OTHER = valueOf(parseAccountId("other"));
const [a, b, c] = [recipientNumber(0), recipientNumber(1), recipientNumber(2)];

let url: string;
let store: PostgresStore;

/**
 * Recipients 0 and 1 are attached to alias 0, in this order, and recipient 1 to alias 1; 2 is verified. Alias 3 is deleted and
 * remembers recipient 0; alias 4 is erased. Another account has a recipient 5 with an alias 5.
 */
beforeEach(async () => {
  url = await postgres().newDatabase();
  store = await openStore(url, { clock: { now: () => NOW + 9 } });
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
  return () => store.close();
});

/** Writes without triggers and foreign keys, as restoring only the data does. */
const damage = (...statements: readonly string[]) =>
  postgres().sql(["SET session_replication_role = replica", ...statements].join("; "), [], url);

const TABLES = [
  "account_usage",
  "recipients",
  "aliases",
  "addresses",
  "attachments",
  "alias_words",
  "tallies",
  "contacts",
  "blocked_senders",
  "logged_messages",
  "webhooks",
  "announcements",
  "webhook_turns",
];

/** Everything in the tables, and which triggers are enabled, to see what a repair has changed. */
const content = async () => {
  const rows = TABLES.map((table) => postgres().sql(`SELECT * FROM ${table} ORDER BY 1, 2, 3`, [], url));
  const triggers = "SELECT tgname, tgenabled FROM pg_trigger WHERE NOT tgisinternal ORDER BY tgname";
  return Promise.all([...rows, postgres().sql(triggers, [], url)]);
};

const all = async (
  found: AsyncGenerator<Result<Difference, Unavailable>>,
): Promise<readonly Difference[]> => {
  const differences: Difference[] = [];
  for await (const difference of found) differences.push(valueOf(difference));
  return differences;
};

/** What a check finds. */
const check = async () =>
  (await all(store.differences(() => {}))).map(
    ({ kind, account, alias, recipient, stored, right, remedy }) => ({
      kind,
      of: [account, alias, recipient].filter((id) => id !== null).join(" "),
      stored,
      right,
      by: remedy.by,
    }),
  );

/** Repairs what can be repaired, like the server's command. Returns what remains. */
const repair = async (detach = false): Promise<readonly string[]> => {
  const left: string[] = [];
  for await (const found of store.differences(() => {})) {
    const { kind, remedy } = valueOf(found);
    const repair = remedy.by === "repair" ? remedy.repair : detach ? remedy.detach : null;
    if (repair === null) left.push(kind);
    else valueOf(await repair());
  }
  return left;
};

test("the records of an export are counted: recipients, aliases, webhooks, and one retired address", async () => {
  for (const n of [0, 1]) valueOf(await store.webhooks.create(webhookNumber(n)));
  // Announcements are not exported.
  valueOf(await store.outbox.announce([announcementTo(webhookNumber(0))]));
  expect(valueOf(await store.countRecords())).toBe(4 + 4 + 2 + 1);
});

test("a store that was only ever used through its ports has no differences", async () => {
  const before = await content();
  const accounts: null[] = [];
  expect(await all(store.differences(() => accounts.push(null)))).toEqual([]);
  expect(accounts).toHaveLength(2);
  expect(await repair(true)).toEqual([]);
  expect(await content()).toEqual(before);
});

/** A logged message of the account and the alias. */
const messageRow = (account: string, alias: string, details: object = MESSAGE_DETAILS) =>
  `INSERT INTO logged_messages VALUES ('${account}', '${alias}', 1, '${"m".repeat(26)}', 1, '${JSON.stringify(details)}')`;

/** 1,200 logged messages of alias 0, every 500th of which does not parse: numbers 199, 699 and 1,199. */
const MANY_MESSAGE_ROWS = `
  INSERT INTO logged_messages
  SELECT 'account', 'alias-000000', n % 12, chr(97 + n / 676) || chr(97 + n / 26 % 26) || chr(97 + n % 26) || '${"m".repeat(23)}', 1,
    CASE n % 500 WHEN 199 THEN '{}'::jsonb ELSE '${JSON.stringify(MESSAGE_DETAILS)}' END
  FROM generate_series(0, 1199) AS n`;

/** A contact of the account and the alias. */
const contactRow = (account: string, alias: string, email = "bob@sender.example") =>
  `INSERT INTO contacts VALUES ('${account}', '${"c".repeat(26)}', '${alias}', '${email}', 'none', 1, NULL, 1, NULL, 1)`;

const POSITION = Announcement.position(announcementTo(webhookNumber(0)));

/** An announcement to the webhook whose id consists of this letter. */
const announcementRow = (account: string, letter: string, position: string = POSITION) =>
  `INSERT INTO announcements VALUES ('${account}', '${letter.repeat(26)}', '${position}')`;

/** The turns of the webhook whose id consists of this letter. */
const turnRow = (account: string, letter: string, after: string | null) =>
  `INSERT INTO webhook_turns (account, webhook, after_position)
  VALUES ('${account}', '${letter.repeat(26)}', ${after === null ? "NULL" : `'${after}'`})`;

const NOT_FOUND = "not found by it: the description does not contain it, or there is no such alias";
const NOT_ATTACHED = "not attached: no alias with this id lists it, or it is deleted";

describe("a repair fixes", () => {
  test.for([
    [
      "a count that is too high",
      "UPDATE recipients SET attached = 7 WHERE id = 'recipient-1'",
      [{ kind: "attached", of: "account recipient-1", stored: "7", right: "2" }],
    ],
    [
      "a count that is too low",
      "UPDATE recipients SET attached = 0 WHERE id = 'recipient-1'",
      [{ kind: "attached", of: "account recipient-1", stored: "0", right: "2" }],
    ],
    [
      "a recipient that is not attached",
      "DELETE FROM attachments WHERE alias_id = 'alias-000000' AND recipient_id = 'recipient-1'",
      [
        {
          kind: "attachment",
          of: "account alias-000000 recipient-1",
          stored: "not attached",
          right: "attached, because the alias lists it",
        },
      ],
    ],
    [
      "a recipient attached to an alias that does not list it",
      "INSERT INTO attachments VALUES ('account', 'recipient-2', 'alias-000000')",
      [{ kind: "leftover", of: "account alias-000000 recipient-2", stored: "attached", right: NOT_ATTACHED }],
    ],
    [
      "a recipient attached to a deleted alias",
      "INSERT INTO attachments VALUES ('account', 'recipient-0', 'alias-000003')",
      [{ kind: "leftover", of: "account alias-000003 recipient-0", stored: "attached", right: NOT_ATTACHED }],
    ],
    [
      "a contact of an alias that does not exist, in an account that does not exist either",
      contactRow("nobody", "alias"),
      [{ kind: "leftover", of: "nobody alias", stored: "1 contacts", right: "none without an alias" }],
    ],
    [
      "a logged message of an alias that does not exist, in an account that does not exist either",
      messageRow("nobody", "alias"),
      [
        {
          kind: "leftover",
          of: "nobody alias",
          stored: "1 logged messages",
          right: "none without an alias",
        },
      ],
    ],
    [
      "a recipient attached to an alias that does not exist, in an account that does not exist either",
      "INSERT INTO attachments VALUES ('nobody', 'recipient-0', 'alias')",
      [{ kind: "leftover", of: "nobody alias recipient-0", stored: "attached", right: NOT_ATTACHED }],
    ],
    [
      "a word that the description does not have",
      "INSERT INTO alias_words VALUES ('account', 'x', 'alias-000000')",
      [{ kind: "leftover", of: "account alias-000000", stored: "found by a word", right: NOT_FOUND }],
    ],
    [
      "a description that is not found by a word",
      "DELETE FROM alias_words WHERE alias_id = 'alias-000000' AND word = 'shop'",
      [
        {
          kind: "words",
          of: "account alias-000000",
          stored: "found by 1 words of its description",
          right: "by each of its 2 words",
        },
      ],
    ],
    [
      "words other than those of the description",
      "UPDATE aliases SET words = '{shop,x}' WHERE id = 'alias-000000'",
      [
        { kind: "leftover", of: "account alias-000000", stored: "found by a word", right: NOT_FOUND },
        {
          kind: "words",
          of: "account alias-000000",
          stored: "found by 1 words of its description",
          right: "by each of its 2 words",
        },
      ],
    ],
    [
      "fewer words than the description has, all of them in the index",
      "UPDATE aliases SET words = '{shop}' WHERE id = 'alias-000000'; DELETE FROM alias_words WHERE word = 'shop'",
      [
        { kind: "leftover", of: "account alias-000000", stored: "found by a word", right: NOT_FOUND },
        ...["account alias-000000", "account alias-000001", "account alias-000003", "other alias-000005"].map(
          (of) => ({
            kind: "words",
            of,
            stored: `found by ${of.endsWith("0000") ? 0 : 1} words of its description`,
            right: "by each of its 2 words",
          }),
        ),
      ],
    ],
    [
      "an address that is not taken",
      "DELETE FROM addresses WHERE alias_id = 'alias-000000'",
      [{ kind: "address", of: "account alias-000000", stored: "missing", right: "leads to the alias" }],
    ],
    [
      "an address that leads to an alias without it",
      "UPDATE addresses SET account = 'other', alias_id = 'alias-000005' WHERE alias_id = 'alias-000000'",
      [
        {
          kind: "address",
          of: "account alias-000000",
          stored: "leads to an alias that does not have it",
          right: "leads to the alias",
        },
        {
          kind: "address",
          of: "other alias-000005",
          stored: "leads to it from another address",
          right: "retired",
        },
      ],
    ],
    [
      "the address of an alias that is retired",
      "UPDATE addresses SET account = NULL, alias_id = NULL WHERE alias_id = 'alias-000000'",
      [
        {
          kind: "retired",
          of: "account alias-000000",
          stored: "the alias exists, and its address is retired",
          right: "not retired until the alias is erased",
        },
      ],
    ],
    [
      "a wrong count of an account",
      "UPDATE account_usage SET aliases = 7, unverified_recipients = 1 WHERE account = 'account'",
      [
        {
          kind: "usage",
          of: "account",
          stored: "7 aliases, 3 recipients, 1 of them unverified",
          right: "3 aliases, 3 recipients, 0 of them unverified",
        },
      ],
    ],
    [
      "a missing count of an account, and a count of an account that does not exist",
      "DELETE FROM account_usage WHERE account = 'account'; INSERT INTO account_usage VALUES ('nobody', 1, 0, 0)",
      [
        {
          kind: "usage",
          of: "account",
          stored: "0 aliases, 0 recipients, 0 of them unverified",
          right: "3 aliases, 3 recipients, 0 of them unverified",
        },
        {
          kind: "usage",
          of: "nobody",
          stored: "1 aliases, 0 recipients, 0 of them unverified",
          right: "0 aliases, 0 recipients, 0 of them unverified",
        },
      ],
    ],
  ] as const)("%s", async ([_, statements, found]) => {
    const before = await content();
    await damage(statements);
    expect(await check()).toEqual(found.map((each) => ({ ...each, by: "repair" })));
    expect(await repair()).toEqual([]);
    expect(await content()).toEqual(before);
    expect(await check()).toEqual([]);
  });

  test("all of these at once", async () => {
    const before = await content();
    await damage(
      "UPDATE recipients SET attached = 7 WHERE id = 'recipient-1'",
      "DELETE FROM attachments",
      "INSERT INTO attachments VALUES ('account', 'recipient-2', 'alias-000000')",
      "UPDATE aliases SET words = '{}'",
      "DELETE FROM addresses WHERE alias_id = 'alias-000000'",
      "UPDATE addresses SET account = NULL, alias_id = NULL WHERE alias_id = 'alias-000001'",
      "DELETE FROM account_usage",
    );
    expect(await repair()).toEqual([]);
    expect(await content()).toEqual(before);
  });
});

test("an address that leads to no alias is retired", async () => {
  await damage("INSERT INTO addresses VALUES ('lost@alias.example', 'account', 'gone')");
  expect(await check()).toEqual([
    {
      kind: "address",
      of: "account gone",
      stored: "an address leads to the alias, which does not exist",
      right: "retired",
      by: "repair",
    },
  ]);
  expect(await repair()).toEqual([]);
  expect(await check()).toEqual([]);
  const page = { limit: 10, after: null };
  expect(valueOf(await store.aliases.listRetiredAddresses(page)).items).toEqual([
    "alias-4@alias.example",
    "lost@alias.example",
  ]);
});

const findAlias = async (n: number) =>
  valueOf(await store.aliases.findWithRecipients(ACCOUNT, aliasNumber(n, [a]).id, [])).alias;

describe("what only the operator can resolve is left, or detached on request", () => {
  test.for([
    ["inactive", "UPDATE recipients SET active = false, attached = 0 WHERE id = 'recipient-0'"],
    ["unverified", "UPDATE recipients SET verified_at = NULL, attached = 0 WHERE id = 'recipient-0'"],
    ["gone", "DELETE FROM recipients WHERE id = 'recipient-0'"],
  ] as const)("a recipient that is %s, next to another one", async ([state, statement]) => {
    await damage(statement);
    await repair();
    const left = await content();
    expect(await check()).toEqual([
      {
        kind: "destination",
        of: "account alias-000000 recipient-0",
        stored: state,
        right: "verified and active",
        by: "operator",
      },
    ]);
    expect(await repair()).toEqual(["destination"]);
    expect(await content()).toEqual(left);
    const before = await findAlias(0);
    expect(await repair(true)).toEqual([]);
    expect(await check()).toEqual([]);
    expect(await findAlias(0)).toEqual({
      ...before,
      destinations: before?.destinations.slice(1),
      updatedAt: NOW + 9,
      version: 2,
    });
    // The trigger is enabled again.
    const alias = aliasNumber(0, [b]);
    valueOf(await store.aliases.save({ ...alias, version: 2 }, { ...replaced(alias, [c]), version: 3 }));
    expect(await check()).toEqual([]);
  });

  test("the only recipient of an alias, which is deleted and remembers it", async () => {
    await damage("UPDATE recipients SET active = false, attached = 0 WHERE id = 'recipient-1'");
    expect(await repair()).toEqual(["destination", "destination"]);
    const before = await findAlias(1);
    expect(await repair(true)).toEqual([]);
    expect(await check()).toEqual([]);
    expect(await findAlias(1)).toEqual({ ...before, deletedAt: NOW + 9, updatedAt: NOW + 9, version: 2 });
  });

  test.for([
    [
      "a tally that is too low",
      "DELETE FROM tallies",
      [{ kind: "tallies", of: "account alias-000000", stored: "0 counted", right: "2 or more" }],
    ],
    [
      "an alias that does not parse, whatever its address is",
      "UPDATE aliases SET email = 'nobody' WHERE id = 'alias-000000'",
      [
        {
          kind: "unreadable",
          of: "account alias-000000",
          stored: "a row that does not parse",
          right: "a valid one",
        },
      ],
    ],
    [
      "a contact that does not parse",
      contactRow("account", "alias-000000", "nobody"),
      [
        {
          kind: "unreadable",
          of: "account alias-000000",
          stored: "a row that does not parse",
          right: "a valid one",
        },
      ],
    ],
    [
      "two of three logged messages that do not parse",
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
      })),
    ],
    [
      "some of many logged messages that do not parse",
      MANY_MESSAGE_ROWS,
      Array.from({ length: 3 }, () => ({
        kind: "unreadable",
        of: "account alias-000000",
        stored: "a row that does not parse",
        right: "a valid one",
      })),
    ],
    [
      "a blocked sender that does not parse, in an account that has nothing else",
      `INSERT INTO blocked_senders VALUES ('lonely', '${"b".repeat(26)}', 'nobody', 1)`,
      [{ kind: "unreadable", of: "lonely", stored: "a row that does not parse", right: "a valid one" }],
    ],
    [
      "a webhook that does not parse, in an account that has nothing else",
      `INSERT INTO webhooks VALUES ('lonely', '${"w".repeat(26)}', 1, 'http://service.example/', '{}', 's', NULL, 1, 1, 1)`,
      [{ kind: "unreadable", of: "lonely", stored: "a row that does not parse", right: "a valid one" }],
    ],
    [
      "announcements that do not parse, among others that do, in accounts that have nothing else",
      [
        announcementRow("lonely", "a"),
        announcementRow("lonely", "a", "nowhere"),
        announcementRow("lonely", "b"),
        announcementRow("lonelier", "b", "nowhere"),
        "INSERT INTO announcements VALUES ('lonelier', 'nobody', 'nowhere')",
      ].join("; "),
      ["lonelier", "lonelier", "lonely"].map((of) => ({
        kind: "unreadable",
        of,
        stored: "a row that does not parse",
        right: "a valid one",
      })),
    ],
    [
      "turns of webhooks that do not parse, among others that do, in accounts that have nothing else",
      [
        turnRow("lonely", "a", null),
        turnRow("lonely", "b", POSITION),
        turnRow("lonely", "c", "nowhere"),
        turnRow("lonelier", "a", "nowhere"),
      ].join("; "),
      ["lonelier", "lonely"].map((of) => ({
        kind: "unreadable",
        of,
        stored: "a row that does not parse",
        right: "a valid one",
      })),
    ],
    [
      "a recipient that does not parse",
      "UPDATE recipients SET email = 'nobody' WHERE id = 'recipient-2'",
      [
        {
          kind: "unreadable",
          of: "account recipient-2",
          stored: "a row that does not parse",
          right: "a valid one",
        },
      ],
    ],
  ] as const)("%s", async ([_, statement, found]) => {
    await damage(statement);
    const before = await content();
    expect(await check()).toEqual(found.map((each) => ({ ...each, by: "operator" })));
    expect(await repair(true)).toEqual(found.map(({ kind }) => kind));
    expect(await content()).toEqual(before);
  });

  test("two aliases with one address", async () => {
    await damage("UPDATE aliases SET email = 'alias-0@alias.example' WHERE id = 'alias-000001'");
    expect(await repair(true)).toEqual(["address"]);
    expect(await check()).toEqual([
      {
        kind: "address",
        of: "account alias-000001",
        stored: "leads to alias alias-000000 of account account, which has the same address",
        right: "leads to the alias",
        by: "operator",
      },
    ]);
  });
});

test("a difference that is gone by the time it would be repaired is left alone", async () => {
  await damage(
    "UPDATE recipients SET attached = 7 WHERE id = 'recipient-1'",
    "DELETE FROM attachments WHERE alias_id = 'alias-000000'",
    "INSERT INTO attachments VALUES ('account', 'recipient-2', 'alias-000000')",
    "INSERT INTO alias_words VALUES ('account', 'x', 'alias-000000')",
    "DELETE FROM alias_words WHERE word = 'shop'",
    "DELETE FROM addresses WHERE alias_id = 'alias-000000'",
    "UPDATE addresses SET account = NULL, alias_id = NULL WHERE alias_id = 'alias-000001'",
    "INSERT INTO addresses VALUES ('lost@alias.example', 'account', 'gone')",
    "UPDATE account_usage SET aliases = 7",
    "UPDATE recipients SET active = false, attached = 0 WHERE id = 'recipient-5'",
  );
  const found = await all(store.differences(() => {}));
  const repairs = found.flatMap(({ remedy }) =>
    remedy.by === "repair" ? remedy.repair : (remedy.detach ?? []),
  );
  expect(repairs).toHaveLength(found.length);
  for (const repair of repairs) expect(valueOf(await repair())).toBe("repaired");
  const repaired = await content();
  for (const repair of repairs) expect(valueOf(await repair())).toBe("gone");
  expect(await content()).toEqual(repaired);
  expect(await check()).toEqual([]);
});

test("during writes, only damage is reported, and a repair leaves nothing wrong", async () => {
  let writing = true;
  const write = async (n: number) => {
    let alias: Alias = aliasNumber(n, [a]);
    valueOf(await store.aliases.create(alias, NO_LIMITS));
    for (let round = 0; writing; round += 1) {
      const after = replaced(alias, [[b, a], [c], [a], [a, b, c]][round % 4] ?? [a]);
      valueOf(await store.aliases.save(alias, after));
      const deleted = Alias.delete(after, NOW + round);
      valueOf(await store.aliases.save(after, deleted));
      const restored = valueOf(Alias.restore(deleted, [c.id, b.id], [b, c], NOW + round));
      valueOf(await store.aliases.save(deleted, restored));
      alias = restored;
    }
  };
  const writers = Promise.all([10, 11, 12, 13].map(write));
  try {
    for (let round = 0; round < 10; round += 1) {
      expect(await check()).toEqual([]);
      // Counts that are too high, so that no write is refused meanwhile.
      await damage("UPDATE recipients SET attached = attached + 5 WHERE id = 'recipient-1'");
      await damage("UPDATE account_usage SET aliases = aliases + 5 WHERE account = 'account'");
      expect((await check()).map(({ kind }) => kind)).toEqual(["attached", "usage"]);
      expect(await repair()).toEqual([]);
    }
  } finally {
    writing = false;
    await writers;
  }
  expect(await check()).toEqual([]);
});
