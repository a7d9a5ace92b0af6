/* What the contract suite cannot check: deadlines, and rows that something else has damaged. */
import { readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { PGlite } from "@electric-sql/pglite";
import { Alias, type BaseStore, parseEmailAddress, postern, type Result } from "@postern/core";
import { failureOf, testPorts, valueOf } from "@postern/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { postgresStore } from "./postgres-store.ts";

const account = "tenant-1";

const serviceOn = (store: BaseStore) => postern({ store, aliasDomains: ["alias.example"], ...testPorts() });

const because = (reason: string) => ({ code: "unavailable", cause: { source: "postgres", reason } });

test("every call to a database that does not respond is unavailable at the deadline", async () => {
  const errors: unknown[] = [];
  const driver = { query: () => new Promise<never>(() => {}) };
  const store = postgresStore({ driver, timeoutMs: 50, onError: (error) => errors.push(error) });
  const service = serviceOn(store);
  const page = { limit: 10, after: null };
  const calls: Promise<Result<unknown, { readonly code: string }>>[] = [
    store.ping(),
    store.aliases.listRetiredAddresses(page),
    store.mailLedger.list(page),
    service.addRecipient({ account, email: "me@home.example" }),
    service.listAliases({ account }),
    service.eraseAlias({ account, aliasId: "alias-1" }),
  ];
  const results = await Promise.all(calls);
  expect(results.map((result) => failureOf(result))).toEqual(results.map(() => because("ETIMEDOUT")));
  expect(errors.map(String)).toEqual(results.map(() => "Error: PostgreSQL did not respond within 50 ms"));
});

test("a response after the deadline is ignored, even if it is a failure", async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  const store = postgresStore({ driver: { query: () => promise }, timeoutMs: 10, onError: () => {} });
  expect(failureOf(await store.ping())).toEqual(because("ETIMEDOUT"));
  // An unhandled rejection would fail the test run.
  reject(new Error("too late"));
  await setImmediate();
});

test("a corrupt row is unavailable, and the report names its field but not its content", async () => {
  const errors: unknown[] = [];
  const driver = await PGlite.create();
  onTestFinished(() => driver.close());
  await driver.exec(readFileSync(new URL("postgres-schema.sql", import.meta.url), "utf8"));
  const store = postgresStore({ driver, onError: (error) => errors.push(error) });
  const service = serviceOn(store);
  const recipient = valueOf(await service.adoptRecipient({ account, email: "me@home.example" }));
  const email = valueOf(parseEmailAddress("shop@alias.example"));
  const alias = valueOf(await service.createAlias({ account, email, recipientIds: [recipient.id] }));

  for (const field of [
    "email",
    "description",
    "active",
    "destinations",
    "tallies",
    "createdAt",
    "deletedAt",
  ]) {
    errors.length = 0;
    await driver.query(`UPDATE aliases SET data = jsonb_set(data, ARRAY[$1], '[{"private": "secret"}]')`, [
      field,
    ]);
    const found = [
      await store.aliases.findByEmail(email),
      await store.aliases.findWithRecipients(alias.account, alias.id, []),
      await store.aliases.list(alias.account, { limit: 1, after: null }, { deleted: false }),
    ];
    expect(found.map((result) => failureOf<{ readonly code: string }>(result))).toEqual(
      found.map(() => because("CORRUPT_ROW")),
    );
    expect(errors).toHaveLength(found.length);
    for (const error of errors) {
      expect(String(error)).toContain(`corrupt: ${field}`);
      expect(String(error)).not.toMatch(/secret|shop|home/);
    }
    await driver.query("UPDATE aliases SET data = $1", [JSON.stringify(alias)]);
    expect(valueOf(await store.aliases.findByEmail(email))).toEqual(Alias.state(alias));
  }

  await driver.query("UPDATE recipients SET data = data - 'nonce'");
  const found = await store.recipients.find(recipient.account, recipient.id);
  expect(failureOf(found)).toEqual(because("CORRUPT_ROW"));
});

test("ids and retired addresses that the domain does not allow are unavailable", async () => {
  for (const value of ["", "\u0007", 7, null]) {
    const driver = { query: async () => ({ rows: [{ data: value }] }) };
    const store = postgresStore({ driver, onError: () => {} });
    const page = { limit: 10, after: null };
    expect(failureOf(await store.aliases.listRetiredAddresses(page))).toEqual(because("CORRUPT_ROW"));
  }
});
