import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { NonEmpty } from "@postern/core";
import { Announcement, type Difference, type Turn, type WebhookKey } from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseAnnouncementItem, putAnnouncement } from "../src/announcement-item.ts";
import { beginTurns } from "../src/begin-turns.ts";
import { Key } from "../src/table.ts";
import { faultProxy } from "./support/fault-proxy.ts";
import { BRIEF_FAULTS, type Fault } from "./support/fault-proxy-faults.ts";
import { always, inTurn, on } from "./support/fault-proxy-plans.ts";
import { putAll, scan, setAttribute } from "./support/items.ts";
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
const START = { failures: 0, failingSince: null, after: null };
const ALL = { limit: 100, after: null };

/** How long turns last. */
const TURN = 1_000;
const DAY = 24 * 60 * 60 * 1_000;

const expiryOf = ({ at }: Announcement): number => Math.ceil((at + 4 * DAY) / 1_000);

const items = () => scan(documents(), table);
const announce = async (...announcements: NonEmpty<Announcement>) =>
  valueOf(await store.outbox.announce(announcements));
const remove = async (...announcements: NonEmpty<Announcement>) =>
  valueOf(await store.outbox.remove(announcements));
const listed = async (to: WebhookKey) => valueOf(await store.outbox.list(to, ALL)).items;
const begin = async (now = NOW, limit = 100) =>
  valueOf(await store.outbox.begin({ now, until: now + TURN, limit }));
const end = async (turn: Turn, failures = 0, dueAt = NOW) =>
  valueOf(
    await store.outbox.end(turn, { failures, failingSince: failures === 0 ? null : NOW, after: null, dueAt }),
  );

/** The turn of the first webhook, to which something is announced. */
const onlyTurn = async (now = NOW): Promise<Turn> => {
  const [turn, ...others] = await begin(now);
  expect(others).toEqual([]);
  return turn ?? expect.unreachable("a turn is due");
};

/** Announces something to a webhook of each of as many accounts, one after the other. Returns the webhooks. */
const announceToMany = async (count: number): Promise<readonly WebhookKey[]> => {
  const places = Array.from({ length: count }, (_, n) => webhook("m", `account-${n}`));
  for (const [n, place] of places.entries()) await announce(announcement(place, 1, NOW + n));
  return places;
};

test("an announcement is an item that consists of its key and expires; another item holds the turns of its webhook", async () => {
  const [one, two] = [announcement(first), announcement(first, 2, NOW + 1)];
  await announce(one);
  await announce(two);
  await announce(two);
  expect((await items()).toSorted((a, b) => (a.pk + a.sk < b.pk + b.sk ? -1 : 1))).toEqual([
    { ...Key.announcement(first, Announcement.position(one)), schema: 1, expires: expiryOf(one) },
    { ...Key.announcement(first, Announcement.position(two)), schema: 1, expires: expiryOf(two) },
    { ...Key.turns(first), schema: 1, account: ACCOUNT, id: first.id, dueAt: NOW, count: 3 },
  ]);
});

test("an announcement to a webhook that never gets a turn expires after four days", async () => {
  const proxy = await faultProxy(dynamo().endpoint);
  const faulty = openStore(dynamo().client(proxy.endpoint), table, { timeoutMs: 500 });
  proxy.follow(on("UpdateItem", always("internal error")));
  expect(failureOf(await faulty.outbox.announce([announcement(first)])).code).toBe("unavailable");
  faulty.close();
  await proxy.close();
  expect(await begin()).toEqual([]);
  expect(await items()).toMatchObject([{ expires: expiryOf(announcement(first)) }]);
});

test("announcements that do not expire, from earlier versions, are listed, have turns, and are removed", async () => {
  const old = announcement(first);
  await announce(old);
  const { pk, sk } = Key.announcement(first, Announcement.position(old));
  await putAll(documents(), table, [{ pk, sk, schema: 1 }]);
  await announce(old);
  const found: Difference[] = [];
  for await (const difference of store.differences(() => {})) found.push(valueOf(difference));
  expect(found).toEqual([]);
  expect(await listed(first)).toEqual([old]);
  const turn = await onlyTurn();
  await remove(old);
  await end(turn);
  expect(await items()).toEqual([]);
});

test("an expired announcement stays valid until DynamoDB deletes it", () => {
  const expired = announcement(first, 1, NOW - 5 * DAY);
  const { Item } = putAnnouncement(expired);
  expect(Item.expires).toBeLessThan(NOW / 1_000);
  expect(valueOf(parseAnnouncementItem(Item))).toEqual(expired);
});

test("a webhook that has been told everything leaves nothing behind, except what its next turn needs if it has failed", async () => {
  await announce(announcement(first), announcement(second));
  const turns = await begin();
  await remove(announcement(first));
  await remove(announcement(second));
  for (const turn of turns) await end(turn, turn.id === second.id ? 2 : 0);
  expect(await items()).toEqual([
    {
      ...Key.turns(second),
      schema: 1,
      account: ACCOUNT,
      id: second.id,
      count: 1,
      failures: 2,
      failingSince: NOW,
      after: null,
    },
  ]);
});

test("an announcement that is made or removed twice in one call is made or removed once", async () => {
  const [one, two] = [announcement(first), announcement(first, 2)];
  await announce(one, two, one);
  expect(await listed(first)).toEqual([two, one]);
  await remove(one, two, one);
  expect(await listed(first)).toEqual([]);
});

describe("an announcement just before a turn ends", () => {
  /** A store in which the announcement is made after looking for announcements, just before the first request of this kind. */
  const openBusy = (command: string) => {
    const client = dynamo().client();
    let [isNext, commands] = [true, 0];
    client.middlewareStack.add(
      (next, context) => async (args) => {
        if (context["commandName"] === command) {
          commands += 1;
          if (isNext) {
            isNext = false;
            await announce(announcement(first, 2, NOW + 5));
          }
        }
        return next(args);
      },
      { step: "initialize" },
    );
    const busy = openStore(client, table, { timeoutMs: 60_000 });
    return { busy, commands: () => commands };
  };

  test.for([
    // The deletion is refused, then the webhook is made due.
    { failures: 0, command: "DeleteItemCommand", times: 1 },
    // Likewise.
    { failures: 1, command: "UpdateItemCommand", times: 2 },
  ])("makes the webhook due, after $failures failures", async ({ failures, command, times }) => {
    await announce(announcement(first));
    const turn = await onlyTurn();
    await remove(announcement(first));
    const { busy, commands } = openBusy(command);
    const next = { failures, failingSince: failures === 0 ? null : NOW, after: null, dueAt: NOW + 7 };
    valueOf(await busy.outbox.end(turn, next));
    busy.close();
    expect(commands()).toBe(times);
    expect(await begin(NOW + 6)).toEqual([]);
    expect(await onlyTurn(NOW + 7)).toMatchObject({ failures });
    expect(await listed(first)).toEqual([announcement(first, 2, NOW + 5)]);
  });
});

describe("if the first attempt meets a fault", () => {
  type Step = {
    readonly operation: string;
    /** Before it, one thing is announced to the first webhook. */
    readonly prepare?: () => Promise<void>;
    readonly run: (faulty: OpenStore) => Promise<unknown>;
    readonly verify: (result: unknown) => Promise<void>;
  };
  let turn: Turn;
  const beginFirst = async () => {
    turn = await onlyTurn();
  };
  const finish = async () => {
    await beginFirst();
    await remove(announcement(first));
  };
  const steps: Record<string, Step> = {
    "an announcement is stored once": {
      operation: "PutItem",
      run: async ({ outbox }) => valueOf(await outbox.announce([announcement(first, 2)])),
      verify: async () => expect(await listed(first)).toEqual([announcement(first, 2), announcement(first)]),
    },
    "its webhook is due": {
      operation: "UpdateItem",
      run: async ({ outbox }) => valueOf(await outbox.announce([announcement(second)])),
      verify: async () => expect(await begin()).toHaveLength(2),
    },
    "one is removed": {
      operation: "TransactWriteItems",
      run: async ({ outbox }) => valueOf(await outbox.remove([announcement(first)])),
      verify: async () => expect(await listed(first)).toEqual([]),
    },
    "a turn begins": {
      operation: "UpdateItem",
      run: async ({ outbox }) => valueOf(await outbox.begin({ now: NOW, until: NOW + TURN, limit: 1 })),
      verify: async (begun) => {
        expect(begun).toEqual([{ account: ACCOUNT, id: first.id, ...START, until: NOW + TURN }]);
        expect(await begin()).toEqual([]);
      },
    },
    "a turn ends with something announced": {
      operation: "UpdateItem",
      prepare: beginFirst,
      run: async ({ outbox }) => valueOf(await outbox.end(turn, { ...START, failures: 3, dueAt: NOW + 1 })),
      verify: async () => {
        expect(await begin()).toEqual([]);
        expect(await onlyTurn(NOW + 1)).toMatchObject({ failures: 3 });
      },
    },
    "a failed turn ends with nothing announced": {
      operation: "UpdateItem",
      prepare: finish,
      run: async ({ outbox }) => valueOf(await outbox.end(turn, { ...START, failures: 3, dueAt: NOW })),
      verify: async () => expect(await items()).toMatchObject([{ ...Key.turns(first), failures: 3 }]),
    },
    "a turn ends with nothing announced": {
      operation: "DeleteItem",
      prepare: finish,
      run: async ({ outbox }) => valueOf(await outbox.end(turn, { ...START, dueAt: NOW })),
      verify: async () => expect(await items()).toEqual([]),
    },
  };
  const cases = Object.entries(steps).flatMap(([name, step]) =>
    BRIEF_FAULTS.map((fault): readonly [string, Fault, Step] => [name, fault, step]),
  );

  test.for(cases)("%s: %s", async ([, fault, { operation, prepare, run, verify }]) => {
    await announce(announcement(first));
    await prepare?.();
    const proxy = await faultProxy(dynamo().endpoint);
    const faulty = openStore(dynamo().client(proxy.endpoint), table);
    proxy.follow(on(operation, inTurn(fault)));
    const result = await run(faulty);
    await proxy.settled();
    await verify(result);
    faulty.close();
    await proxy.close();
  });
});

test("an announcement that could not be stored makes nothing due", async () => {
  const proxy = await faultProxy(dynamo().endpoint);
  const faulty = openStore(dynamo().client(proxy.endpoint), table, { timeoutMs: 500 });
  proxy.follow(on("PutItem", always("internal error")));
  expect(failureOf(await faulty.outbox.announce([announcement(first)])).code).toBe("unavailable");
  faulty.close();
  await proxy.close();
  expect(await items()).toEqual([]);
});

test("turns that have begun are returned even if others could not begin", async () => {
  await announce(announcement(first), announcement(second));
  const proxy = await faultProxy(dynamo().endpoint);
  const faulty = openStore(dynamo().client(proxy.endpoint), table, { timeoutMs: 1_000 });
  let updates = 0;
  proxy.follow((operation) => {
    if (operation !== "UpdateItem") return null;
    updates += 1;
    return updates === 1 ? null : "internal error";
  });
  const wanted = { now: NOW, until: NOW + TURN, limit: 100 };
  const begun = valueOf(await faulty.outbox.begin(wanted));
  expect(begun).toHaveLength(1);
  expect(failureOf(await faulty.outbox.begin(wanted)).code).toBe("unavailable");
  faulty.close();
  await proxy.close();
  expect([...begun, ...(await begin())].map(({ id }) => id).toSorted()).toEqual([first.id, second.id]);
});

test("servers that begin turns at the same time share them", async () => {
  const places = await announceToMany(30);
  const servers = Array.from({ length: 4 }, () => openStore(dynamo().client(), table));
  const begun = await Promise.all(
    servers.map(async ({ outbox }) =>
      valueOf(await outbox.begin({ now: NOW + TURN, until: NOW + 2 * TURN, limit: 20 })),
    ),
  );
  for (const server of servers) server.close();
  const accounts = begun.flat().map(({ account }) => account);
  expect(accounts.toSorted()).toEqual(places.map(({ account }) => account).toSorted());
});

test("webhooks beyond those that one call examines get their turns in the next one", async () => {
  // Ten queries of two items.
  const [examined, count] = [2, 25];
  await announceToMany(count);
  const client = DynamoDBDocumentClient.from(dynamo().client());
  const onCorruptItem = () => expect.unreachable("no item is corrupt");
  const beginSome = beginTurns({ documents: client, table, timeoutMs: 60_000, onCorruptItem }, examined);
  const wanted = { now: NOW + TURN, until: NOW + 2 * TURN, limit: 100 };
  const begun: Turn[] = [];
  for (const expected of [20, 5]) {
    const turns = valueOf(await beginSome(wanted));
    expect(turns).toHaveLength(expected);
    begun.push(...turns);
  }
  expect(new Set(begun.map(({ account }) => account)).size).toBe(count);
  // Then it starts from the beginning.
  for (const turn of begun) await end(turn, 0, NOW);
  for (const expected of [20, 5]) expect(valueOf(await beginSome(wanted))).toHaveLength(expected);
  client.destroy();
});

describe("an item that does not parse", () => {
  const differences = async () => {
    const found: Difference[] = [];
    for await (const difference of store.differences(() => {})) found.push(valueOf(difference));
    return found.map(({ kind, account, stored, remedy }) => ({ kind, account, stored, by: remedy.by }));
  };

  test.for<readonly [string, unknown]>([
    ["schema", 2],
    ["dueAt", "soon"],
    ["dueAt", -1],
    ["count", 0],
    ["failures", 1.5],
    ["failingSince", "once"],
    ["after", "the first"],
    ["account", "another"],
  ])(
    "for the turns of a webhook is reported, and other webhooks get theirs: %s: %o",
    async ([attribute, value]) => {
      const reported: string[] = [];
      const watching = openStore(dynamo().client(), table, { reported });
      await announce(announcement(first), announcement(second));
      expect(await differences()).toEqual([]);
      const [turn] = await begin(NOW, 1);
      const key = turn?.id === first.id ? Key.turns(first) : Key.turns(second);
      await setAttribute(documents(), table, key, attribute, value);
      const wanted = { now: NOW + TURN, until: NOW + 2 * TURN, limit: 100 };
      const begun = valueOf(await watching.outbox.begin(wanted));
      expect(begun.map(({ id }) => id)).toEqual([turn?.id === first.id ? second.id : first.id]);
      expect(reported).toEqual([`${key.pk} ${key.sk}`]);
      const ended = await watching.outbox.end(turn ?? expect.unreachable(), { ...START, dueAt: NOW });
      expect(failureOf(ended).code).toBe("unavailable");
      watching.close();
      expect(await differences()).toEqual([
        {
          kind: "unreadable",
          account: attribute === "account" ? value : ACCOUNT,
          stored: `the item ${key.sk} does not parse`,
          by: "operator",
        },
      ]);
    },
  );

  test("for an announcement is reported, and its list is unavailable", async () => {
    const reported: string[] = [];
    const watching = openStore(dynamo().client(), table, { reported });
    await announce(announcement(first), announcement(second));
    const key = Key.announcement(first, Announcement.position(announcement(first)));
    await setAttribute(documents(), table, key, "schema", 2);
    expect(failureOf(await watching.outbox.list(first, ALL)).code).toBe("unavailable");
    expect(valueOf(await watching.outbox.list(second, ALL)).items).toEqual([announcement(second)]);
    expect(reported).toEqual([`${key.pk} ${key.sk}`]);
    watching.close();
    expect(await differences()).toEqual([
      {
        kind: "unreadable",
        account: null,
        stored: `the item announcements#${first.id}#${ACCOUNT} does not parse`,
        by: "operator",
      },
    ]);
  });
});
