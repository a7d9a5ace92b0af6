import { parsePostgresUrl, postgresStore } from "@postern/adapter-postgres";
import { NO_LIMITS } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { Client } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { recipientNumber } from "../../adapter-sqlite/test/support/samples.ts";
import { migrate, migrations, schemaVersion } from "../src/migrations.ts";
import { usePostgres, useStore } from "./support/use-postgres.ts";

const postgres = usePostgres();

/** A database without any tables. */
const emptyDatabase = async (options = ""): Promise<string> => {
  const name = `empty_${Math.random().toString(36).slice(2)}`;
  await postgres().sql(`CREATE DATABASE ${name} ${options}`);
  return `postgres://postgres@127.0.0.1:${postgres().port}/${name}`;
};

/** The names of the tables, in order. */
const tablesIn = (url: string) =>
  postgres().sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1", [], url);

const open = async (url: string, schema?: "migrate" | "must exist" | "leave") =>
  postgresStore({ url: valueOf(parsePostgresUrl(url)), clock: Date, schema });

test("if several stores open an empty database at once, one creates the tables", async () => {
  const url = await emptyDatabase();
  const opened = await Promise.all(Array.from({ length: 5 }, () => open(url)));
  const stores = opened.map(valueOf);
  expect(stores.map((store) => store.created)).toContain(true);
  for (const store of stores) {
    await expect.poll(() => store.ping()).toHaveProperty("value");
    await store.close();
  }
  expect(await postgres().sql("SELECT version FROM postern_migrations", [], url)).toEqual(
    migrations.map(({ version }) => ({ version })),
  );
  expect((await useStore(url)).created).toBe(false);
});

test.for(["must exist", "leave"] as const)(
  "a database without tables is refused with the schema option %s",
  async (schema) => {
    const url = await emptyDatabase();
    const failure = failureOf(await open(url, schema));
    expect(failure).toMatchObject({
      code: "missing",
      message: expect.stringMatching(
        /^The PostgreSQL database empty_\w+ on 127\.0\.0\.1:\d+ has no Postern tables: there is no store in it$/,
      ),
    });
    expect(await tablesIn(url)).toEqual([]);
  },
);

test("a database of a newer version is refused, and left alone", async () => {
  const url = await postgres().newDatabase();
  await postgres().sql("INSERT INTO postern_migrations (version) VALUES (1000)", [], url);
  const content = async () => [
    await postgres().sql("SELECT * FROM postern_migrations ORDER BY version", [], url),
    await tablesIn(url),
  ];
  const before = await content();
  expect(failureOf(await open(url))).toMatchObject({
    code: "newer_version",
    message: expect.stringContaining(
      `has schema version 1000, but this Postern supports versions up to ${migrations.length}: run a newer`,
    ),
  });
  expect(await content()).toEqual(before);
});

test("a database that does not store all of Unicode is refused", async () => {
  const url = await emptyDatabase("TEMPLATE template0 ENCODING 'LATIN1'");
  expect(failureOf(await open(url))).toMatchObject({
    code: "unsuitable",
    message: expect.stringContaining("its encoding is not UTF8"),
  });
});

test("a database with tables of another program is refused, and left alone", async () => {
  const url = await emptyDatabase();
  await postgres().sql("CREATE TABLE tallies (n integer)", [], url);
  expect(failureOf(await open(url))).toMatchObject({
    code: "cannot_open",
    message: expect.stringContaining("(42P07): it has a table with the name of one of Postern's"),
  });
  expect(await tablesIn(url)).toEqual([{ tablename: "tallies" }]);
});

test("a user who may only read and write rows can use tables that are up to date, but not create any", async () => {
  const name = `writer_${Math.random().toString(36).slice(2)}`;
  await postgres().sql(`CREATE ROLE ${name} LOGIN`);
  const asWriter = (url: string) => url.replace("postgres@", `${name}@`);
  const empty = await emptyDatabase();
  expect(failureOf(await open(asWriter(empty)))).toMatchObject({
    code: "cannot_open",
    message: expect.stringContaining("(42501 insufficient_privilege): the user lacks a permission"),
  });

  const url = await postgres().newDatabase();
  const granted = `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${name}`;
  await postgres().sql(granted, [], url);
  const store = await useStore(asWriter(url));
  expect(await store.recipients.create(recipientNumber(0), NO_LIMITS)).toHaveProperty("value");
  expect(await store.ping()).toHaveProperty("value");
});

test("tables can be in a schema of their own", async () => {
  const url = await emptyDatabase();
  await postgres().sql("CREATE SCHEMA mail", [], url);
  await postgres().sql("CREATE TABLE aliases (n integer)", [], url);
  const store = await useStore(`${url}?options=-c%20search_path%3Dmail`);
  expect(await store.recipients.create(recipientNumber(0), NO_LIMITS)).toHaveProperty("value");
  expect(await postgres().sql("SELECT count(*) FROM mail.recipients", [], url)).toEqual([{ count: "1" }]);
});

describe("migrations", () => {
  const connect = async (url: string): Promise<Client> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  };
  const tables = async (client: Client) =>
    (await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")).rows.map(
      ({ tablename }) => tablename,
    );
  const first = { version: 1, sql: "CREATE TABLE one ()" };
  const second = { version: 2, sql: "CREATE TABLE two ()" };

  test("are applied in order, each once, whoever runs them", async () => {
    const url = await emptyDatabase();
    const [client, other] = [await connect(url), await connect(url)];
    for (const all of [[first], [first, second]]) {
      await Promise.all([migrate(client, all), migrate(other, all)]);
      expect(await schemaVersion(client)).toBe(all.length);
    }
    await migrate(other, [first, second]);
    expect(await tables(client)).toEqual(["one", "postern_migrations", "two"]);
  });

  test("that fail leave nothing behind, and those before them stay applied", async () => {
    const client = await connect(await emptyDatabase());
    const broken = { version: 2, sql: "CREATE TABLE two (); SELECT 1 / 0" };
    await expect(migrate(client, [first, broken])).rejects.toMatchObject({ code: "22012" });
    expect(await schemaVersion(client)).toBe(1);
    expect(await tables(client)).toEqual(["one", "postern_migrations"]);
    await migrate(client, [first, second]);
    expect(await schemaVersion(client)).toBe(2);
  });

  test("a store can open an older schema only if it may migrate", async () => {
    const url = await postgres().newDatabase();
    for (const step of [
      "ALTER TABLE aliases DROP COLUMN rules, DROP COLUMN website",
      "DROP TABLE api_keys, creations, announcements, webhook_turns, webhooks, handed_reports, resends, logged_messages, blocked_senders, contacts",
      "DROP FUNCTION postern_api_key_stays, postern_take_slot, postern_creation_stays, postern_end_turn, postern_webhook_stays",
      "DROP FUNCTION postern_logged_message_advances, postern_blocked_sender_stays, postern_meet_contacts, postern_contact_stays",
      "ALTER TABLE recipients DROP COLUMN verification_delivery, DROP COLUMN default_since",
      "DELETE FROM postern_migrations WHERE version >= 2",
    ]) {
      await postgres().sql(step, [], url);
    }
    expect(failureOf(await open(url, "leave"))).toMatchObject({ code: "older_version" });
    const store = await useStore(url);
    const queued = { ...recipientNumber(0), verificationDelivery: "queued" } as const;
    expect(await store.recipients.create(queued, NO_LIMITS)).toHaveProperty("value");
    expect(await store.recipients.find(queued.account, queued.id)).toMatchObject({ value: queued });
  });
});

test.for<readonly [what: string, url: (port: number) => string, message: RegExp]>([
  [
    "another port",
    () => "postgres://postgres@127.0.0.1:1/x",
    /x on 127\.0\.0\.1:1 cannot be opened \(ECONNREFUSED\): nothing listens there$/,
  ],
  [
    "an unknown host",
    () => "postgres://u:hunter2@db.invalid/x",
    /x on db\.invalid:5432 cannot be opened \((ENOTFOUND|EAI_AGAIN)\)/,
  ],
  [
    "an unknown database",
    (port) => `postgres://postgres@127.0.0.1:${port}/nothing`,
    /\(3D000 invalid_catalog_name\): there is no such database$/,
  ],
  [
    "a server without TLS",
    (port) => `postgres://postgres@127.0.0.1:${port}/postgres?sslmode=require`,
    /\(The server does not support SSL connections\)$/,
  ],
  [
    "an unknown user",
    (port) => `postgres://nobody:hunter2@127.0.0.1:${port}/postgres`,
    /\(28000 invalid_authorization_specification\)/,
  ],
])("with %s, the message says what is wrong, without user and password", async ([, url, expected]) => {
  const { code, message } = failureOf(await open(url(postgres().port)));
  expect(code).toBe("cannot_open");
  expect(message).toMatch(expected);
  expect(message).not.toMatch(/hunter2|nobody/);
});
