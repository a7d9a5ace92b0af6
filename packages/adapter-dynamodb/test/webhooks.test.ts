import { MAX_WEBHOOKS, type Webhook } from "@postern/core";
import type { Difference } from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Database, transact } from "../src/database.ts";
import { replaceList } from "../src/list-item.ts";
import { Key } from "../src/table.ts";
import { webhooksItem } from "../src/webhooks-item.ts";
import { faultProxy } from "./support/fault-proxy.ts";
import { BRIEF_FAULTS } from "./support/fault-proxy-faults.ts";
import { inTurn, on } from "./support/fault-proxy-plans.ts";
import { scan, setAttribute } from "./support/items.ts";
import { type OpenStore, openStore } from "./support/open-store.ts";
import { ACCOUNT, announcement, NOW, webhook } from "./support/samples.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

const { dynamo, documents } = useDynamoDb();
let table: string;
let store: OpenStore;

beforeEach(async () => {
  table = await dynamo().newTable();
  store = openStore(dynamo().client(), table, { timeoutMs: 60_000 });
});
afterEach(() => store.close());

const [first, second] = [webhook("a"), webhook("b")];
const off: Webhook = { ...first, off: "owner", updatedAt: NOW + 1, version: 2 };
const key = Key.webhooks(ACCOUNT);

const create = async (...webhooks: readonly Webhook[]) => {
  for (const each of webhooks) valueOf(await store.webhooks.create(each));
};
const remove = async ({ account, id }: Webhook) => valueOf(await store.webhooks.remove(account, id));
const listed = async () => valueOf(await store.webhooks.list(ACCOUNT));
const items = () => scan(documents(), table);

test("all webhooks of an account are one item, which is gone when it has no webhooks", async () => {
  await create(first, second);
  expect((await items()).map(Key.of)).toEqual([key]);
  for (const each of [first, second]) await remove(each);
  expect(await items()).toEqual([]);
});

test("webhooks read before an account lost its last one do not replace those created since", async () => {
  await create(first);
  const [item] = await items();
  const before = valueOf(webhooksItem.parse(item ?? expect.unreachable("there is an item")));
  await remove(first);
  await create(second);
  const database: Database = {
    documents: documents(),
    table,
    timeoutMs: 60_000,
    onCorruptItem: () => expect.unreachable("no item is corrupt"),
  };
  const outdated = replaceList(table, webhooksItem, ACCOUNT, before, [off]);
  expect(failureOf(await transact(database, [outdated])).code).toBe("refused");
  expect(await listed()).toEqual([second]);
});

test("if several servers create many webhooks at once, only as many are stored as an account can have", async () => {
  const webhooks = [..."abcdefghijkl"].map((letter) => webhook(letter));
  const others = openStore(dynamo().client(), table, { timeoutMs: 60_000 });
  const created = await Promise.all(
    webhooks.map((each, n) => (n % 2 === 0 ? store : others).webhooks.create(each)),
  );
  others.close();
  const stored = webhooks.filter((_, n) => created[n]?.isOk());
  expect(stored).toHaveLength(MAX_WEBHOOKS);
  expect((await listed()).toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(stored);
  for (const result of created) {
    if (result.isErr()) expect(result.error).toEqual({ code: "too_many_webhooks", limit: MAX_WEBHOOKS });
  }
});

test.for(BRIEF_FAULTS)(
  "webhooks are created, saved and removed once if the first attempt meets this fault: %s",
  async (fault) => {
    const proxy = await faultProxy(dynamo().endpoint);
    const faulty = openStore(dynamo().client(proxy.endpoint), table);
    const meets = (operation: string) => proxy.follow(on(operation, inTurn(fault)));
    meets("TransactWriteItems");
    valueOf(await faulty.webhooks.create(first));
    await proxy.settled();
    expect(await listed()).toEqual([first]);
    meets("TransactWriteItems");
    valueOf(await faulty.webhooks.save(first, off));
    await proxy.settled();
    expect(await listed()).toEqual([off]);
    meets("BatchGetItem");
    expect(valueOf(await faulty.webhooks.list(ACCOUNT))).toEqual([off]);
    meets("TransactWriteItems");
    valueOf(await faulty.webhooks.remove(ACCOUNT, first.id));
    meets("DeleteItem");
    valueOf(await faulty.webhooks.remove(ACCOUNT, first.id));
    await proxy.settled();
    expect(await items()).toEqual([]);
    faulty.close();
    await proxy.close();
  },
);

describe("how the last turn of a webhook ended", () => {
  const endTurn = async (failures: number) => {
    const [turn] = valueOf(await store.outbox.begin({ now: NOW, until: NOW + 9, limit: 1 }));
    if (turn === undefined) throw new Error("there is no turn");
    const next = { failures, failingSince: NOW, after: null, dueAt: NOW };
    valueOf(await store.outbox.end(turn, next));
  };

  test("is forgotten with the webhook if nothing is announced to it", async () => {
    await create(first);
    valueOf(await store.outbox.announce([announcement(first)]));
    valueOf(await store.outbox.remove([announcement(first)]));
    await endTurn(3);
    expect((await items()).map(Key.of)).toContainEqual(Key.turns(first));
    await remove(first);
    expect(await items()).toEqual([]);
  });

  test("is kept if something is announced: then the webhook has another turn", async () => {
    await create(first);
    valueOf(await store.outbox.announce([announcement(first)]));
    await endTurn(3);
    await remove(first);
    expect(valueOf(await store.outbox.begin({ now: NOW, until: NOW + 9, limit: 1 }))).toMatchObject([
      { id: first.id, failures: 3 },
    ]);
  });
});

describe("an item that is corrupt", () => {
  const damages: Record<string, readonly [attribute: string, value: unknown]> = {
    "of a newer version": ["schema", 2],
    "without a revision": ["revision", null],
    "whose webhooks are not a list": ["webhooks", "none"],
    "with an empty list": ["webhooks", []],
    "with a webhook of another account": ["webhooks", [webhook("a", "another")]],
    "with something else than webhooks": [
      "webhooks",
      [first, { ...second, url: "http://insecure.example/" }],
    ],
  };

  test.for(Object.entries(damages))("%s is reported, and stays", async ([, [attribute, value]]) => {
    const reported: string[] = [];
    const watching = openStore(dynamo().client(), table, { reported });
    await create(first, second);
    await setAttribute(documents(), table, key, attribute, value);
    const before = await items();
    for (const result of [
      await watching.webhooks.list(ACCOUNT),
      await watching.webhooks.create(webhook("c")),
      await watching.webhooks.save(first, off),
      await watching.webhooks.remove(ACCOUNT, first.id),
    ]) {
      expect(failureOf(result).code).toBe("unavailable");
    }
    expect(new Set(reported)).toEqual(new Set([`${key.pk} ${key.sk}`]));
    expect(await items()).toEqual(before);
    watching.close();
  });

  test("is a difference, which a repair leaves", async () => {
    const differences = async () => {
      const found: Difference[] = [];
      for await (const difference of store.differences(() => {})) found.push(valueOf(difference));
      return found;
    };
    await create(first, webhook("a", "another"));
    expect(await differences()).toEqual([]);
    await setAttribute(documents(), table, key, "revision", 1);
    expect(await differences()).toMatchObject([
      {
        kind: "unreadable",
        account: ACCOUNT,
        stored: "the item webhooks does not parse",
        remedy: { by: "operator", detach: null },
      },
    ]);
  });
});
