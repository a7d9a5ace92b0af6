import { CREATION_RETENTION, parseCreation } from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Key } from "../src/table.ts";
import { scan, setAttribute } from "./support/items.ts";
import { type OpenStore, openStore } from "./support/open-store.ts";
import { ACCOUNT, webhook } from "./support/samples.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

const { dynamo, documents } = useDynamoDb();
const reported: string[] = [];
let table: string;
let store: OpenStore;

beforeEach(async () => {
  reported.length = 0;
  table = await dynamo().newTable();
  store = openStore(dynamo().client(), table, { timeoutMs: 60_000, reported });
});
afterEach(() => store.close());

const [first, second] = [webhook("a"), webhook("b")];
const at = Math.ceil(Date.now() / 1000) * 1000 + 1;
const hashes = { key: "k".repeat(16), fingerprint: "f".repeat(16) };
const creation = valueOf(parseCreation({ account: ACCOUNT, ...hashes, kind: "webhook", id: first.id, at }));
const key = Key.creation(ACCOUNT, creation.key);

test("what was created with a key is an item of its own, which expires after 24 hours, never earlier", async () => {
  valueOf(await store.webhooks.create(first, creation));
  const items = await scan(documents(), table);
  expect(items.map(Key.of)).toContainEqual(key);
  const expires = (at - 1 + CREATION_RETENTION) / 1000 + 1;
  expect(items.find((item) => Key.same(item, key))).toMatchObject({ id: first.id, expires });
  expect(valueOf(await store.accounts({ limit: 10, after: null })).items).toEqual([ACCOUNT]);
  valueOf(await store.webhooks.remove(ACCOUNT, first.id));
  expect(valueOf(await store.accounts({ limit: 10, after: null })).items).toEqual([]);
});

test.for<readonly [attribute: string, value: unknown]>([
  ["schema", 2],
  ["kind", "contact"],
  ["fingerprint", "short"],
  ["account", "another"],
])("one that is corrupt is reported, and creates nothing more: %s", async ([attribute, value]) => {
  valueOf(await store.webhooks.create(first, creation));
  await setAttribute(documents(), table, key, attribute, value);
  expect(failureOf(await store.creations.find(ACCOUNT, creation.key)).code).toBe("unavailable");
  expect(reported).toEqual([`${key.pk} ${key.sk}`]);
  const again = valueOf(parseCreation({ ...creation, id: second.id }));
  expect(failureOf(await store.webhooks.create(second, again)).code).toBe("already_created");
  expect(valueOf(await store.webhooks.list(ACCOUNT))).toEqual([first]);
  expect(valueOf(await store.creations.forget(ACCOUNT, 100))).toBe(1);
  expect((await scan(documents(), table)).map(Key.of)).toEqual([Key.webhooks(ACCOUNT)]);
});
