import type { PostgresStore } from "@postern/adapter-postgres";
import { Announcement } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { type Damage, fillWithSamples, SAMPLES, testDamages } from "@postern/test-support/store-damages";
import { expect, onTestFinished, test } from "vitest";
import {
  announcementTo,
  apiKeyNumber,
  MESSAGE_DETAILS,
  webhookNumber,
} from "../../adapter-sqlite/test/support/samples.ts";
import { openStore, usePostgres } from "./support/use-postgres.ts";

const postgres = usePostgres();

type Subject = {
  readonly url: string;
  readonly store: PostgresStore;
  readonly content: () => Promise<unknown>;
};

const begin = async (): Promise<Subject> => {
  const url = await postgres().newDatabase();
  const store = await openStore(url, { clock: { now: () => SAMPLES.now + 9 } });
  onTestFinished(() => store.close());
  await fillWithSamples(store);
  return { url, store, content: () => content(url) };
};

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
  "api_keys",
];

/** Everything in the tables, and which triggers are enabled, to see what a repair has changed. */
const content = async (url: string) => {
  const rows = TABLES.map((table) => postgres().sql(`SELECT * FROM ${table} ORDER BY 1, 2, 3`, [], url));
  const triggers = "SELECT tgname, tgenabled FROM pg_trigger WHERE NOT tgisinternal ORDER BY tgname";
  return Promise.all([...rows, postgres().sql(triggers, [], url)]);
};

/** Writes without triggers and foreign keys, as restoring only the data does. */
const by = (...statements: readonly string[]): Damage<Subject> => ({
  damage: async ({ url }) => {
    await postgres().sql(["SET session_replication_role = replica", ...statements].join("; "), [], url);
  },
});
const found = (lines: readonly string[], ...statements: readonly string[]) => ({
  ...by(...statements),
  found: lines,
});

const insert = (table: string, values: string) =>
  `INSERT INTO ${table} VALUES (${values}) ON CONFLICT DO NOTHING`;

const contactRow = (account: string, alias: string, email: string) =>
  insert(
    "contacts",
    `'${account}', '${"c".repeat(26)}', '${alias}', '${email}', 'none', 1, NULL, 1, NULL, 1`,
  );

const messageRow = (account: string, alias: string, details: object) =>
  insert(
    "logged_messages",
    `'${account}', '${alias}', 1, '${"m".repeat(26)}', 1, '${JSON.stringify(details)}'`,
  );

/** 1,200 logged messages, every 500th of which does not parse. */
const MANY_MESSAGE_ROWS = `
  INSERT INTO logged_messages
  SELECT 'account', 'shop', n % 12, chr(97 + n / 676) || chr(97 + n / 26 % 26) || chr(97 + n % 26) || '${"m".repeat(23)}', 1,
    CASE n % 500 WHEN 199 THEN '{}'::jsonb ELSE '${JSON.stringify(MESSAGE_DETAILS)}' END
  FROM generate_series(0, 1199) AS n`;

const POSITION = Announcement.position(announcementTo(webhookNumber(0)));

/** An announcement to the webhook whose id consists of this letter. */
const announcementRow = (account: string, letter: string, position: string = POSITION) =>
  insert("announcements", `'${account}', '${letter.repeat(26)}', '${position}'`);

/** The turns of the webhook whose id consists of this letter. */
const turnRow = (account: string, letter: string, after: string) =>
  `INSERT INTO webhook_turns (account, webhook, after_position) VALUES ('${account}', '${letter.repeat(26)}', ${after})`;

testDamages<Subject>(
  {
    begin,
    repaired: {
      "a count of aliases that is too high": by("UPDATE recipients SET attached = 7 WHERE id = 'work'"),
      "a count of aliases that is too low": by("UPDATE recipients SET attached = 0 WHERE id = 'work'"),
      "a recipient that is not attached to an alias that lists it": by(
        "DELETE FROM attachments WHERE alias_id = 'shop' AND recipient_id = 'work'",
      ),
      "a recipient attached to an alias that does not list it": by(
        insert("attachments", "'account', 'free', 'news'"),
      ),
      "a recipient attached to a deleted alias": by(insert("attachments", "'account', 'home', 'old'")),
      "a recipient attached to an alias that does not exist": by(
        insert("attachments", "'account', 'home', 'gone'"),
      ),
      "an alias without its address": by("DELETE FROM addresses WHERE alias_id = 'shop'"),
      "an address that leads to an alias that does not exist": by(
        "UPDATE addresses SET account = 'other', alias_id = 'nowhere' WHERE key = 'shop@alias.example'",
      ),
      "an address that leads to another alias": by(
        "UPDATE addresses SET account = 'other', alias_id = 'foreign' WHERE key = 'shop@alias.example'",
      ),
      "an alias whose address is retired": by(
        "UPDATE addresses SET account = NULL, alias_id = NULL WHERE key = 'shop@alias.example'",
      ),
      "an address of no alias": {
        ...by(insert("addresses", "'nowhere@alias.example', 'account', 'nowhere'")),
        after: async ({ store }) =>
          expect(valueOf(await store.aliases.listRetiredAddresses({ limit: 9, after: null })).items).toEqual([
            "gone@alias.example",
            "nowhere@alias.example",
          ]),
      },
      "wrong counts of an account": found(
        [
          "usage account: 7 aliases, 4 recipients, 0 of them unverified; right: 3 aliases, 4 recipients, 1 of them unverified",
        ],
        "UPDATE account_usage SET aliases = 7, unverified_recipients = 0 WHERE account = 'account'",
      ),
      "an alias that is not found by a word": by(
        "DELETE FROM alias_words WHERE alias_id = 'shop' AND word = 'shop'",
      ),
      "an alias that is found by a word that it does not have": by(
        insert("alias_words", "'account', 'x', 'shop'"),
      ),
      "words of an alias that does not exist": by(insert("alias_words", "'account', 'x', 'gone'")),
      "words other than those of the description": found(
        ["search account shop: 1 missing, 1 wrong", "search account shop: 1 surplus"],
        "UPDATE aliases SET words = '{shop,x}' WHERE id = 'shop'",
      ),
      "tallies of an alias that does not exist": by(insert("tallies", "'nobody', 'gone', 'sent', 1, 1")),
      "a contact of an alias that does not exist": by(contactRow("nobody", "gone", "bob@sender.example")),
      "a logged message of an alias that does not exist": by(messageRow("nobody", "gone", MESSAGE_DETAILS)),
    },
    undecided: {
      "an alias that does not parse": by("UPDATE aliases SET email = 'nobody' WHERE id = 'shop'"),
      "a recipient that does not parse": by("UPDATE recipients SET email = 'nobody' WHERE id = 'free'"),
      "a contact that does not parse": by(contactRow("account", "shop", "nobody")),
      "a blocked sender that does not parse": by("UPDATE blocked_senders SET sender = 'nobody'"),
      "a webhook that does not parse, in an account that has nothing else": by(
        insert(
          "webhooks",
          `'lonely', '${"w".repeat(26)}', 1, 'http://service.example/', '{}', 's', NULL, 1, 1, 1`,
        ),
      ),
      "an API key that does not parse, in an account that has nothing else": by(
        `INSERT INTO api_keys VALUES ('lonely', '${"k".repeat(26)}', 1, 'hash-of-a-secret', 'name', '{}', NULL, NULL, NULL, 1)`,
      ),
      "one of two logged messages that does not parse": by(
        messageRow("account", "news", MESSAGE_DETAILS),
        messageRow("account", "shop", { ...MESSAGE_DETAILS, direction: "sideways" }),
      ),
      "an announcement that does not parse, in an account that has nothing else": by(
        announcementRow("lonely", "a"),
        announcementRow("lonely", "a", "nowhere"),
      ),
      "turns that do not parse, in an account that has nothing else": by(
        turnRow("lonely", "a", "NULL"),
        turnRow("lonely", "b", `'${POSITION}'`),
        turnRow("lonely", "c", "'nowhere'"),
      ),
      "more events than were counted": by("DELETE FROM tallies"),
      "two aliases with one address": by(
        "UPDATE aliases SET email = 'shop@alias.example' WHERE id = 'foreign'",
        "UPDATE addresses SET account = NULL, alias_id = NULL WHERE alias_id = 'foreign'",
      ),
    },
    ineligible: (subject, { id }, state) => {
      const change = { inactive: "active = false", unverified: "verified_at = NULL" };
      return by(
        state === "gone"
          ? `DELETE FROM recipients WHERE id = '${id}'`
          : `UPDATE recipients SET ${change[state]}, attached = 0 WHERE id = '${id}'`,
      ).damage(subject);
    },
    also: {
      repaired: {
        "a recipient of no alias, in an account that does not exist": found(
          ["leftover nobody gone home: 1 in attachments"],
          insert("attachments", "'nobody', 'home', 'gone'"),
        ),
        "fewer words than the descriptions have, all of them in the index": found(
          [
            "search account news: 1 missing",
            "search account old: 1 missing",
            "search account shop: 1 surplus",
            "search account shop: 2 missing, 1 wrong",
            "search other foreign: 1 missing",
          ],
          "UPDATE aliases SET words = '{shop}' WHERE id = 'shop'; DELETE FROM alias_words WHERE word = 'shop'",
        ),
        "a missing count of an account, and one of an account that does not exist": found(
          [
            "usage account: 0 aliases, 0 recipients, 0 of them unverified; right: 3 aliases, 4 recipients, 1 of them unverified",
            "usage nobody: 1 aliases, 0 recipients, 0 of them unverified; right: 0 aliases, 0 recipients, 0 of them unverified",
          ],
          "DELETE FROM account_usage WHERE account = 'account'",
          insert("account_usage", "'nobody', 1, 0, 0"),
        ),
      },
      undecided: {
        "some of many logged messages": found(
          Array.from({ length: 3 }, () => "undecided unreadable account shop"),
          MANY_MESSAGE_ROWS,
        ),
      },
    },
  },
  import.meta.url,
);

test("the records of an export are counted: recipients, aliases, contacts, blocked senders, webhooks, an API key, and one retired address", async () => {
  const { store } = await begin();
  for (const n of [0, 1]) valueOf(await store.webhooks.create(webhookNumber(n)));
  valueOf(await store.apiKeys.create(apiKeyNumber(0)));
  // Announcements are not exported.
  valueOf(await store.outbox.announce([announcementTo(webhookNumber(0))]));
  expect(valueOf(await store.countRecords())).toBe(5 + 4 + 1 + 1 + 2 + 1 + 1);
});
