import { MAX_WEBHOOKS } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";
import { ACCOUNT, webhookNumber } from "../../adapter-sqlite/test/support/samples.ts";
import { delay } from "./support/contention.ts";
import { usePostgres, useStore } from "./support/use-postgres.ts";

const postgres = usePostgres();

test("if many webhooks are created at the same time, only as many are stored as an account can have", async () => {
  const url = await postgres().newDatabase();
  const stores = [await useStore(url), await useStore(url)] as const;
  await delay(url, "INSERT", "webhooks");
  for (let round = 0; round < 3; round += 1) {
    const created = await Promise.all(
      Array.from({ length: 10 }, (_, n) => stores[n % 2 === 0 ? 0 : 1].webhooks.create(webhookNumber(n))),
    );
    const refused = created.filter((result) => result.isErr());
    expect(refused.map((result) => failureOf(result))).toEqual(
      Array.from({ length: 10 - MAX_WEBHOOKS }, () => ({ code: "too_many_webhooks", limit: MAX_WEBHOOKS })),
    );
    const listed = valueOf(await stores[0].webhooks.list(ACCOUNT));
    expect(listed).toHaveLength(MAX_WEBHOOKS);
    await Promise.all(
      listed.map(async ({ account, id }) => valueOf(await stores[1].webhooks.remove(account, id))),
    );
  }
});

test.for([
  "UPDATE webhooks SET url = 'http://service.example/' WHERE id = $1",
  "UPDATE webhooks SET events = '{}' WHERE id = $1",
])("a webhook that does not parse is unavailable: %s", async (damage) => {
  const url = await postgres().newDatabase();
  const store = await useStore(url);
  const webhook = webhookNumber(0);
  for (const each of [webhook, webhookNumber(1)]) valueOf(await store.webhooks.create(each));
  await postgres().sql(damage, [webhook.id], url);
  expect(failureOf(await store.webhooks.list(ACCOUNT))).toEqual({
    code: "unavailable",
    cause: { source: "postgres", reason: "a row of webhooks does not parse" },
  });
  // It can still be removed.
  valueOf(await store.webhooks.remove(ACCOUNT, webhook.id));
  expect(valueOf(await store.webhooks.list(ACCOUNT))).toEqual([webhookNumber(1)]);
});
