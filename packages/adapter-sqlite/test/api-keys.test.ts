import { DatabaseSync } from "node:sqlite";
import { failureOf, valueOf } from "@postern/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { sqliteApiKeys } from "../src/store/api-keys.ts";
import { openDatabase } from "../src/store/open-database.ts";
import { newPath, openStore } from "./support/directory.ts";
import { ACCOUNT, apiKeyNumber, NOW } from "./support/samples.ts";

const [apiKey, other] = [apiKeyNumber(0), apiKeyNumber(1)];

test.for([
  "scopes = '[]'",
  "scopes = 'aliases:create'",
  "recipient_ids = '{}'",
  "last_used_by = 'robot', last_used_at = 1",
  "last_used_by = 'browser'",
])("an API key that does not parse is unavailable, unlike others: %s", async (damage) => {
  const path = newPath();
  const store = openStore(path);
  for (const each of [apiKey, other]) valueOf(await store.apiKeys.create(each));
  {
    using db = new DatabaseSync(path);
    db.exec("PRAGMA ignore_check_constraints = ON; DROP TRIGGER api_key_stays_itself");
    db.prepare(`UPDATE api_keys SET ${damage} WHERE id = ?`).run(apiKey.id);
  }
  const unreadable = { code: "unavailable", cause: { reason: "a row of api_keys does not parse" } };
  expect(failureOf(await store.apiKeys.findByHash(apiKey.hash))).toMatchObject(unreadable);
  expect(failureOf(await store.apiKeys.list(ACCOUNT))).toMatchObject(unreadable);
  expect(valueOf(await store.apiKeys.findByHash(other.hash))).toEqual(other);
  // It can still be revoked.
  valueOf(await store.apiKeys.remove(ACCOUNT, apiKey.id));
  expect(valueOf(await store.apiKeys.list(ACCOUNT))).toEqual([other]);
});

test("every statement about API keys finds them with an index", async () => {
  const { database } = valueOf(openDatabase(":memory:", "create"));
  onTestFinished(database.close);
  const statements = new Set<string>();
  const { create, list, findByHash, recordUse, remove } = sqliteApiKeys({
    ...database,
    sql: (text) => {
      statements.add(text);
      return database.sql(text);
    },
  });
  valueOf(await create(apiKey));
  expect(valueOf(await list(ACCOUNT))).toEqual([apiKey]);
  valueOf(await recordUse(apiKey, { at: NOW, by: "program" }));
  expect(valueOf(await findByHash(apiKey.hash))).toMatchObject({ lastUse: { at: NOW } });
  valueOf(await remove(ACCOUNT, apiKey.id));
  const plans = [...statements].flatMap((text) => database.sql(`EXPLAIN QUERY PLAN ${text}`).all());
  const key = "USING PRIMARY KEY (account=?";
  expect(plans.map(({ detail }) => detail)).toEqual([
    `SEARCH api_keys ${key})`,
    `SEARCH api_keys ${key})`,
    `SEARCH api_keys ${key} AND id=?)`,
    expect.stringMatching(/^SEARCH api_keys USING INDEX \S+ \(hash=\?\)$/),
    `SEARCH api_keys ${key} AND id=?)`,
  ]);
});
