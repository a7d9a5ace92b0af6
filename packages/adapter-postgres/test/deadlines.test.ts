import { Alias, NO_LIMITS } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { until } from "@postern/test-support/until";
import { Client } from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { aliasNumber, recipientNumber } from "../../adapter-sqlite/test/support/samples.ts";
import { stopTimers, usePostgres, useStore } from "./support/use-postgres.ts";

const postgres = usePostgres();

const because = (reason: string) => ({ code: "unavailable", cause: { source: "postgres", reason } });

const connected = async (url: string): Promise<Client> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
};

/** Locks a table until the returned function is called. */
const lock = async (url: string, table: string): Promise<() => Promise<void>> => {
  const client = await connected(url);
  await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  return async () => {
    await client.query("ROLLBACK");
  };
};

/** The statements of a program, by default of the store, that wait for a lock. */
const waiting = async (url: string, program = "postern") =>
  postgres().sql(
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1 AND wait_event_type = 'Lock'",
    [program],
    url,
  );

/** Expects the call to end once these milliseconds have passed, and not before. */
const expectEnd = async (
  call: Promise<unknown>,
  milliseconds: number,
  pass: ReturnType<typeof stopTimers>,
) => {
  const ended = vi.fn();
  void call.then(ended);
  await pass(milliseconds - 1);
  expect(ended).not.toHaveBeenCalled();
  await pass(1);
  expect(ended).toHaveBeenCalled();
};

test("a call that PostgreSQL does not complete in time is unavailable, and PostgreSQL cancels it", async () => {
  const url = await postgres().newDatabase();
  const store = await useStore(url, { connections: 1 });
  const recipient = recipientNumber(0);
  const release = await lock(url, "recipients");
  const pass = stopTimers();
  const created = store.recipients.create(recipient, NO_LIMITS, 300);
  await until("the call waits for the lock", async () => (await waiting(url)).length === 1);
  await expectEnd(created, 300, pass);
  expect(failureOf(await created)).toEqual(because("no response before the deadline"));
  // Another connection takes its place at once.
  expect(await store.ping()).toHaveProperty("value");
  await expect.poll(() => waiting(url)).toEqual([]);
  await release();
  expect(await store.recipients.find(recipient.account, recipient.id)).toMatchObject({ value: null });
  expect(await store.recipients.create(recipient, NO_LIMITS)).toHaveProperty("value");
});

test("PostgreSQL itself stops a statement after the store's time limit", async () => {
  const url = await postgres().newDatabase();
  const store = await useStore(url, { timeoutMs: 500 });
  const release = await lock(url, "recipients");
  // The store's own timer does not run.
  stopTimers();
  const found = store.recipients.find(recipientNumber(0).account, recipientNumber(0).id);
  expect(failureOf(await found)).toEqual(because("57014 query_canceled"));
  await expect.poll(() => waiting(url)).toEqual([]);
  await release();
});

test("waiting for a connection counts, and a call whose time is up is never sent", async () => {
  const url = await postgres().newDatabase();
  const store = await useStore(url, { connections: 1 });
  const recipient = recipientNumber(0);
  await store.ping();
  const release = await lock(url, "aliases");
  const holding = store.aliases.list(recipient.account, { limit: 1, after: null }, { deleted: false });
  const pass = stopTimers();
  const created = store.recipients.create(recipient, NO_LIMITS, 200);
  await expectEnd(created, 200, pass);
  expect(failureOf(await created)).toEqual(because("no connection before the deadline"));
  expect(failureOf(await store.recipients.create(recipient, NO_LIMITS, 0))).toEqual(because("no time left"));
  await release();
  expect(await holding).toHaveProperty("value");
  expect(await store.recipients.find(recipient.account, recipient.id)).toMatchObject({ value: null });
});

test("closing ends calls that wait for a connection, and lets those in flight finish", async () => {
  const url = await postgres().newDatabase();
  const store = await useStore(url, { connections: 1 });
  const recipient = recipientNumber(0);
  await store.ping();
  const release = await lock(url, "recipients");
  const inFlight = store.recipients.create(recipient, NO_LIMITS);
  await expect.poll(() => waiting(url)).toHaveLength(1);
  const queued = store.ping();
  const closed = store.close();
  expect(failureOf(await queued)).toEqual(because("the store is closed"));
  expect(failureOf(await store.ping())).toEqual(because("the store is closed"));
  await release();
  expect(await inFlight).toHaveProperty("value");
  await closed;
});

test("a ping fails after a second, whatever the time limit of other calls, and if the database is read-only", async () => {
  const url = await postgres().newDatabase();
  const store = await useStore(url);
  const release = await lock(url, "probe");
  const pass = stopTimers();
  const pinged = store.ping();
  await until("the call waits for the lock", async () => (await waiting(url)).length === 1);
  await expectEnd(pinged, 1_000, pass);
  expect(failureOf(await pinged)).toEqual(because("no response before the deadline"));
  await release();
  expect(await store.ping()).toHaveProperty("value");
  const readOnly = await useStore(`${url}?options=-c%20default_transaction_read_only%3Don`);
  expect(failureOf(await readOnly.ping())).toEqual(because("25006 read_only_sql_transaction"));
  const recipient = recipientNumber(0);
  expect(failureOf(await readOnly.recipients.create(recipient, NO_LIMITS))).toMatchObject(
    because("25006 read_only_sql_transaction"),
  );
});

test("if two transactions deadlock, the one that is aborted is a conflict, and nothing of it is applied", async () => {
  const url = await postgres().newDatabase();
  const store = await useStore(url);
  const recipient = recipientNumber(0);
  valueOf(await store.recipients.create(recipient, NO_LIMITS));
  const alias = aliasNumber(0, [recipient]);
  valueOf(await store.aliases.create(alias, NO_LIMITS));
  // The erasure locks the usage, the address and the recipient, in this order. Another program locks them in the opposite
  // order, and a third one delays the erasure until it is the one that closes the cycle, and so the one that is aborted.
  const [opposite, delaying] = [await connected(url), await connected(url)];
  await opposite.query("BEGIN; SET LOCAL deadlock_timeout = '1min'; SELECT FROM recipients FOR UPDATE");
  await delaying.query("BEGIN; SELECT FROM addresses FOR UPDATE");
  const erased = store.aliases.erase(alias);
  await expect.poll(() => waiting(url)).toHaveLength(1);
  const circle = opposite.query("SELECT FROM account_usage FOR UPDATE");
  await expect.poll(() => waiting(url, "")).toHaveLength(1);
  await delaying.query("ROLLBACK");
  expect(failureOf(await erased)).toEqual({ code: "conflict" });
  await circle;
  await opposite.query("ROLLBACK");
  expect(await store.aliases.findByEmail(alias.email)).toMatchObject({ value: Alias.state(alias) });
  expect(await store.aliases.erase(alias)).toHaveProperty("value");
});
