import { type Alias, NO_LIMITS, type Recipient } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TALLY_ITEMS } from "../src/table.ts";
import { conflictProxy } from "./support/conflict-proxy.ts";
import { faultProxy } from "./support/fault-proxy.ts";
import { always, inTurn, on } from "./support/fault-proxy-plans.ts";
import { scan } from "./support/items.ts";
import { type OpenStore, openStore } from "./support/open-store.ts";
import { ACCOUNT, alias, recipient, unverified } from "./support/samples.ts";
import { usageIn } from "./support/usage.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

/* Aliases of one account that are created at the same time. */

const [owner, other] = [recipient("owner"), recipient("other")];

const { dynamo, documents } = useDynamoDb();
let table: string;
let store: OpenStore;

beforeEach(async () => {
  table = await dynamo().newTable();
  store = openStore(dynamo().client(), table);
  for (const each of [owner, other, unverified("new")])
    valueOf(await store.recipients.create(each, NO_LIMITS));
  // The first alias of an account takes two transactions.
  valueOf(await store.aliases.create(alias("first", [owner]), NO_LIMITS));
});
afterEach(() => store.close());

const many = (count: number, recipients: readonly Recipient[] = [owner]): readonly Alias[] =>
  Array.from({ length: count }, (_, n) => alias(`alias-${n}`, recipients));

const create = (aliases: readonly Alias[], limit = 0, on: OpenStore = store) =>
  Promise.all(aliases.map((each) => on.aliases.create(each, { aliases: limit })));

const codes = (made: Awaited<ReturnType<typeof create>>) =>
  made.map((created) => (created.isOk() ? "ok" : created.error.code));

/** Throws unless exactly these aliases are stored, with everything that belongs to them, and everything is counted. */
const expectStored = async (...ids: readonly string[]) => {
  const items = await scan(documents(), table);
  const stored = items.filter(({ sk }) => sk.startsWith("alias#")).map(({ id }) => id);
  expect(stored.toSorted()).toEqual(["first", ...ids].toSorted());
  expect(items.filter(({ sk }) => sk.startsWith("tally#"))).toHaveLength(stored.length * TALLY_ITEMS);
  expect(items.filter(({ sk }) => sk === "address")).toHaveLength(stored.length);
  // Each has its address and two words.
  expect(items.filter(({ sk }) => sk.startsWith("search#"))).toHaveLength(stored.length * 3);
  expect(usageIn(items).aliases.counted?.total).toBe(stored.length);
  for (const { id } of [owner, other]) {
    const found = valueOf(await store.recipients.find(ACCOUNT, id));
    const attached = valueOf(
      await store.aliases.list(ACCOUNT, { limit: 100, after: null }, { deleted: false, recipient: id }),
    );
    expect(found?.attached, id).toBe(attached.items.length);
  }
};

test("aliases created at the same time share a few transactions, which do not conflict", async () => {
  const proxy = await conflictProxy(dynamo().endpoint, 20);
  const contended = openStore(dynamo().client(proxy.endpoint), table);
  const aliases = many(64);
  expect(codes(await create(aliases, 0, contended))).toEqual(aliases.map(() => "ok"));
  // The first one, and then groups of (100 - 2) / 10.
  expect(proxy.counts).toEqual({ passed: 1 + Math.ceil(63 / 9), conflicts: 0 });
  await expectStored(...aliases.map(({ id }) => id));
  contended.close();
  await proxy.close();
});

test("aliases with as many recipients as possible can be created at the same time", async () => {
  const recipients = Array.from({ length: 40 }, (_, n) => recipient(`many-${n}`));
  for (const each of recipients) valueOf(await store.recipients.create(each, NO_LIMITS));
  const aliases = many(12, recipients);
  expect(codes(await create(aliases))).toEqual(aliases.map(() => "ok"));
  await expectStored(...aliases.map(({ id }) => id));
  expect(valueOf(await store.recipients.find(ACCOUNT, recipients[0]?.id ?? owner.id))?.attached).toBe(12);
});

describe("aliases created at the same time succeed or fail independently", () => {
  test("whatever is wrong with the others", async () => {
    const [one, two, three, four, five] = many(5, [owner, other]);
    if (!one || !two || !three || !four || !five) return expect.unreachable("there are five");
    const made = await create([
      one,
      { ...alias("id-in-use", [owner]), id: one.id },
      { ...alias("address-in-use", [owner]), email: one.email },
      alias("ineligible", [owner, recipient("new")]),
      two,
      { ...alias("address-taken", [owner]), email: alias("FIRST", [owner]).email },
      three,
      { ...four, id: three.id },
      five,
    ]);
    expect(codes(made)).toEqual([
      "ok",
      "conflict",
      "address_taken",
      "conflict",
      "ok",
      "address_taken",
      "ok",
      "conflict",
      "ok",
    ]);
    await expectStored(one.id, two.id, three.id, five.id);
  });

  test("with one limit, and with different ones", async () => {
    const aliases = many(30);
    const made = codes(await create(aliases, 20));
    expect(made.filter((code) => code === "ok")).toHaveLength(19);
    expect(made.filter((code) => code === "too_many_aliases")).toHaveLength(11);
    const more = Array.from({ length: 9 }, (_, n) => alias(`more-${n}`, [owner]));
    const limits = [25, 0, 21, 22, 25, 20, 0, 24, 30];
    const results = await Promise.all(
      more.map((each, n) => store.aliases.create(each, { aliases: limits[n] ?? 0 })),
    );
    const total = 20 + results.filter((result) => result.isOk()).length;
    for (const [n, result] of results.entries()) {
      const limit = limits[n] ?? 0;
      if (result.isErr()) expect(result.error).toEqual({ code: "too_many_aliases", limit });
      else if (limit > 0) expect(limit).toBeGreaterThan(20);
    }
    expect(results[1]?.isOk() && results[6]?.isOk()).toBe(true);
    expect(usageIn(await scan(documents(), table)).aliases).toMatchObject({
      actual: { total },
      counted: { total },
    });
  });
});

describe("creations at the same time end in time", () => {
  test("even if others have more time", async () => {
    const proxy = await faultProxy(dynamo().endpoint);
    // The store itself would wait for longer than this test may take.
    const slow = openStore(dynamo().client(proxy.endpoint), table, { timeoutMs: 120_000 });
    proxy.follow(always("silence before"));
    const ended: number[] = [];
    const made = await Promise.all(
      many(3).map(async (each, n) => {
        const created = await slow.aliases.create(each, NO_LIMITS, undefined, [400, 300, 200][n]);
        ended.push(n);
        return created;
      }),
    );
    expect(codes(made)).toEqual(["unavailable", "unavailable", "unavailable"]);
    expect(ended).toEqual([2, 1, 0]);
    slow.close();
    await proxy.close();
    await expectStored();
  });

  test("and a later one is not affected by those whose time was up before their turn", async () => {
    const proxy = await faultProxy(dynamo().endpoint);
    const slow = openStore(dynamo().serverClient(proxy.endpoint), table);
    // The first attempt takes 700 ms.
    proxy.follow(on("TransactWriteItems", inTurn("silence before")));
    const [one, two, three] = many(3);
    if (!one || !two || !three) return expect.unreachable("there are three");
    const made = await Promise.all([
      slow.aliases.create(one, NO_LIMITS),
      slow.aliases.create(two, NO_LIMITS, undefined, 200),
      slow.aliases.create(three, NO_LIMITS),
    ]);
    expect(codes(made)).toEqual(["ok", "unavailable", "ok"]);
    slow.close();
    await proxy.close();
    await expectStored(one.id, three.id);
  });
});

test("aliases are created once even if the outcome of their transaction is unknown at first", async () => {
  const proxy = await faultProxy(dynamo().endpoint);
  const faulty = openStore(dynamo().client(proxy.endpoint), table);
  // The second transaction is the group's.
  proxy.follow(on("TransactWriteItems", inTurn(null, "reset after", "truncated response")));
  const aliases = many(8);
  expect(codes(await create(aliases, 0, faulty))).toEqual(aliases.map(() => "ok"));
  await expectStored(...aliases.map(({ id }) => id));
  faulty.close();
  await proxy.close();
});
