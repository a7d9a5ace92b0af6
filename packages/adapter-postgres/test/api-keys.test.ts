import { type ApiKey, MAX_API_KEYS } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";
import { ACCOUNT, apiKeyNumber, NOW } from "../../adapter-sqlite/test/support/samples.ts";
import { postgresApiKeys } from "../src/api-keys.ts";
import { delay } from "./support/contention.ts";
import { usePostgres, useStore } from "./support/use-postgres.ts";

const postgres = usePostgres();

const apiKeys: readonly ApiKey[] = Array.from({ length: 26 }, (_, n) => apiKeyNumber(n));
const [apiKey, other] = [apiKeyNumber(0), apiKeyNumber(1)];

test("if many API keys are created at the same time, exactly as many are stored as an account can have", async () => {
  const url = await postgres().newDatabase();
  const stores = [await useStore(url), await useStore(url)] as const;
  await delay(url, "INSERT", "api_keys");
  for (let round = 0; round < 3; round += 1) {
    const created = await Promise.all(
      apiKeys.map((each, n) => stores[n % 2 === 0 ? 0 : 1].apiKeys.create(each)),
    );
    const refused = created.flatMap((result) => (result.isErr() ? [result.error] : []));
    const tooMany = { code: "too_many_api_keys", limit: MAX_API_KEYS };
    expect(refused).toEqual(Array.from({ length: apiKeys.length - MAX_API_KEYS }, () => tooMany));
    const listed = valueOf(await stores[0].apiKeys.list(ACCOUNT));
    expect(listed).toHaveLength(MAX_API_KEYS);
    for (const { account, id } of listed) valueOf(await stores[1].apiKeys.remove(account, id));
  }
});

test.for(["scopes = '{}'", "recipient_ids = '{}'", "last_used_at = 1, last_used_by = 'robot'"])(
  "an API key that does not parse is unavailable, unlike others: %s",
  async (damage) => {
    const url = await postgres().newDatabase();
    const store = await useStore(url);
    for (const each of [apiKey, other]) valueOf(await store.apiKeys.create(each));
    const statement = `SET session_replication_role = replica; UPDATE api_keys SET ${damage} WHERE id = '${apiKey.id}'`;
    await postgres().sql(statement, [], url);
    const unreadable = {
      code: "unavailable",
      cause: { source: "postgres", reason: "a row of api_keys does not parse" },
    };
    expect(failureOf(await store.apiKeys.findByHash(apiKey.hash))).toEqual(unreadable);
    expect(failureOf(await store.apiKeys.list(ACCOUNT))).toEqual(unreadable);
    expect(valueOf(await store.apiKeys.findByHash(other.hash))).toEqual(other);
    // It can still be revoked.
    valueOf(await store.apiKeys.remove(ACCOUNT, apiKey.id));
    expect(valueOf(await store.apiKeys.list(ACCOUNT))).toEqual([other]);
  },
);

test("every statement about API keys finds them with an index", async () => {
  const url = await postgres().newDatabase();
  await postgres().sql(
    `SET session_replication_role = replica;
    INSERT INTO api_keys (account, id, slot, hash, name, scopes, created_at)
    SELECT 'account-' || n / 20, 'id-' || n, 1 + n % 20, 'hash-' || n, '', '{}', 0 FROM generate_series(1, 4000) AS n;
    ANALYZE`,
    [],
    url,
  );
  const plans: string[] = [];
  const { list, findByHash, recordUse, remove } = postgresApiKeys({
    run: async (_, { text, values }, read) => {
      const plan = await postgres().sql(`EXPLAIN ${text}`, values, url);
      plans.push(plan.map((row) => row["QUERY PLAN"]).join("\n"));
      return read([]);
    },
  });
  await list(ACCOUNT);
  await findByHash(apiKey.hash);
  await recordUse(apiKey, { at: NOW, by: "program" });
  await remove(ACCOUNT, apiKey.id);
  const found = plans.map((plan) => /(?:using|on) (api_keys_\w+)/.exec(plan)?.[1]);
  expect(found).toEqual([
    expect.stringMatching(/_(pkey|slot)$/),
    "api_keys_hash",
    "api_keys_pkey",
    "api_keys_pkey",
  ]);
  expect(plans.join("\n")).not.toContain("Seq Scan");
});
