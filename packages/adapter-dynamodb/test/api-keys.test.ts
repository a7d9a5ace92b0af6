import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { type ApiKey, type LastUse, MAX_API_KEYS } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { apiKeyLead, apiKeysItem } from "../src/api-keys-item.ts";
import { type Database, transact } from "../src/database.ts";
import { replaceList } from "../src/list-item.ts";
import { Key } from "../src/table.ts";
import { faultProxy } from "./support/fault-proxy.ts";
import { BRIEF_FAULTS } from "./support/fault-proxy-faults.ts";
import { inTurn, on } from "./support/fault-proxy-plans.ts";
import { putAll, scan, setAttribute } from "./support/items.ts";
import { type OpenStore, openStore } from "./support/open-store.ts";
import { ACCOUNT, apiKey, NOW } from "./support/samples.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

const { dynamo, documents } = useDynamoDb();
let table: string;
let store: OpenStore;

beforeEach(async () => {
  table = await dynamo().newTable();
  store = openStore(dynamo().client(), table, { timeoutMs: 60_000 });
});
afterEach(() => store.close());

const [first, second] = [apiKey("a"), apiKey("b")];
const use: LastUse = { at: NOW, by: "browser_extension" };
const used: ApiKey = { ...first, lastUse: use };
const key = Key.apiKeys(ACCOUNT);
const leadKey = Key.apiKeyHash(first.hash);

const create = async (...apiKeys: readonly ApiKey[]) => {
  for (const each of apiKeys) valueOf(await store.apiKeys.create(each));
};
const remove = async ({ account, id }: ApiKey) => valueOf(await store.apiKeys.remove(account, id));
const listed = async () => valueOf(await store.apiKeys.list(ACCOUNT));
const find = async ({ hash }: ApiKey) => valueOf(await store.apiKeys.findByHash(hash));
const items = () => scan(documents(), table);
const byId = (apiKeys: readonly ApiKey[]) => apiKeys.toSorted((a, b) => (a.id < b.id ? -1 : 1));

test("one item lists all API keys of an account, one for each key leads to it, and none is left when the account has none", async () => {
  await create(first, second);
  const keys = (await items()).map(Key.of).toSorted((a, b) => (a.pk < b.pk ? -1 : 1));
  expect(keys).toEqual([key, leadKey, Key.apiKeyHash(second.hash)]);
  for (const each of [first, second]) await remove(each);
  expect(await items()).toEqual([]);
});

test("an API key that its account does not list cannot be used", async () => {
  await create(first, second);
  await putAll(documents(), table, [apiKeyLead(apiKey("c")), apiKeyLead(apiKey("d", "another"))]);
  for (const each of [apiKey("c"), apiKey("d", "another")]) expect(await find(each)).toBeNull();
  await documents().send(new DeleteCommand({ TableName: table, Key: { ...key } }));
  expect(await find(first)).toBeNull();
});

describe("API keys that were read before", () => {
  const change = async (before: ApiKey[], between: () => Promise<unknown>): Promise<string> => {
    await create(...before);
    const [item] = (await items()).filter((each) => Key.same(each, key));
    const stored = valueOf(apiKeysItem.parse(item ?? expect.unreachable("there is an item")));
    await between();
    const database: Database = {
      documents: documents(),
      table,
      timeoutMs: 60_000,
      onCorruptItem: () => expect.unreachable("no item is corrupt"),
    };
    const outdated = replaceList(table, apiKeysItem, ACCOUNT, stored, [{ ...first, name: "outdated" }]);
    return failureOf(await transact(database, [outdated])).code;
  };

  test("the last one was removed do not replace those created since", async () => {
    const between = async () => {
      await remove(first);
      await create(second);
    };
    expect(await change([first], between)).toBe("refused");
    expect(await listed()).toEqual([second]);
  });

  test("one of them was used do not replace that use", async () => {
    const between = async () => valueOf(await store.apiKeys.recordUse(first, use));
    expect(await change([first, second], between)).toBe("refused");
    expect(byId(await listed())).toEqual([used, second]);
  });
});

test("if several servers create many API keys at once, only as many are stored as an account can have", async () => {
  const apiKeys = [..."abcdefghijklmnopqrstuvwx"].map((character) => apiKey(character));
  await create(...apiKeys.slice(0, MAX_API_KEYS - 4));
  const rest = apiKeys.slice(MAX_API_KEYS - 4);
  const others = openStore(dynamo().client(), table, { timeoutMs: 60_000 });
  const created = await Promise.all(
    rest.map((each, n) => (n % 2 === 0 ? store : others).apiKeys.create(each)),
  );
  others.close();
  const stored = [...apiKeys.slice(0, MAX_API_KEYS - 4), ...rest.filter((_, n) => created[n]?.isOk())];
  expect(stored).toHaveLength(MAX_API_KEYS);
  expect(byId(await listed())).toEqual(stored);
  for (const result of created) {
    if (result.isErr()) expect(result.error).toEqual({ code: "too_many_api_keys", limit: MAX_API_KEYS });
  }
  for (const each of rest) expect(await find(each)).toEqual(stored.includes(each) ? each : null);
});

test.for(BRIEF_FAULTS)(
  "API keys are created, used and removed once if the first attempt meets this fault: %s",
  async (fault) => {
    const proxy = await faultProxy(dynamo().endpoint);
    const faulty = openStore(dynamo().client(proxy.endpoint), table, { timeoutMs: 60_000 });
    const meets = (operation: string) => proxy.follow(on(operation, inTurn(fault)));
    meets("TransactWriteItems");
    valueOf(await faulty.apiKeys.create(first));
    await proxy.settled();
    expect(await listed()).toEqual([first]);
    meets("UpdateItem");
    valueOf(await faulty.apiKeys.recordUse(first, use));
    await proxy.settled();
    expect(await listed()).toEqual([used]);
    meets("BatchGetItem");
    expect(valueOf(await faulty.apiKeys.list(ACCOUNT))).toEqual([used]);
    meets("BatchGetItem");
    expect(valueOf(await faulty.apiKeys.findByHash(first.hash))).toEqual(used);
    // An attempt that arrives once the key is gone changes nothing.
    meets("UpdateItem");
    valueOf(await faulty.apiKeys.recordUse(first, { ...use, at: use.at + 1 }));
    meets("TransactWriteItems");
    valueOf(await faulty.apiKeys.remove(ACCOUNT, first.id));
    await proxy.settled();
    expect(await items()).toEqual([]);
    faulty.close();
    await proxy.close();
  },
);

describe("an item that is corrupt", () => {
  const { id, ...rest } = first;
  const damages: Record<string, readonly [attribute: string, value: unknown]> = {
    "of a newer version": ["schema", 2],
    "without a revision": ["revision", null],
    "whose API keys are not by id": ["apiKeys", [rest]],
    "without API keys": ["apiKeys", {}],
    "with an API key of another account": ["apiKeys", { [id]: { ...rest, account: "another" } }],
    "with something else than API keys": ["apiKeys", { [id]: rest, [second.id]: "none" }],
    "with an API key that has an unknown scope": ["apiKeys", { [id]: { ...rest, scopes: ["everything"] } }],
    "with an id that is none": ["apiKeys", { none: rest }],
  };

  test.for(Object.entries(damages))("%s is reported, and stays", async ([, [attribute, value]]) => {
    const reported: string[] = [];
    const watching = openStore(dynamo().client(), table, { reported });
    await create(first, second);
    await setAttribute(documents(), table, key, attribute, value);
    const before = await items();
    for (const result of [
      await watching.apiKeys.list(ACCOUNT),
      await watching.apiKeys.findByHash(first.hash),
      await watching.apiKeys.create(apiKey("c")),
      await watching.apiKeys.remove(ACCOUNT, first.id),
    ]) {
      expect(failureOf(result).code).toBe("unavailable");
    }
    expect(reported).toEqual(Array(4).fill(`${key.pk} ${key.sk}`));
    if (attribute === "schema") {
      valueOf(await watching.apiKeys.recordUse(first, use));
      expect(await items()).toEqual(before);
    }
    watching.close();
  });

  test.for<readonly [attribute: string, value: unknown]>([
    ["schema", 2],
    ["account", ""],
  ])("that leads to API keys is reported, and they remain: %s", async ([attribute, value]) => {
    const reported: string[] = [];
    const watching = openStore(dynamo().client(), table, { reported });
    await create(first);
    await setAttribute(documents(), table, leadKey, attribute, value);
    expect(failureOf(await watching.apiKeys.findByHash(first.hash)).code).toBe("unavailable");
    expect(reported).toEqual([`${leadKey.pk} ${leadKey.sk}`]);
    expect(valueOf(await watching.apiKeys.list(ACCOUNT))).toEqual([first]);
    expect(failureOf(await watching.apiKeys.create({ ...first, id: second.id }))).toEqual({
      code: "conflict",
    });
    valueOf(await watching.apiKeys.remove(ACCOUNT, first.id));
    expect(await items()).toEqual([]);
    watching.close();
  });
});
