import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { Alias, MAIL_OUTCOMES, type MailEvent, NO_LIMITS, parseAliasId, parseEventId } from "@postern/core";
import { replaceRecipients } from "@postern/core/operations";
import { Tallies } from "@postern/core/store";
import { testPorts, valueOf } from "@postern/core/testing";
import { runsWhole } from "@postern/test-support/runs-whole";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TALLY_ITEMS } from "../src/table.ts";
import { conflictProxy } from "./support/conflict-proxy.ts";
import { countInAlias, scan, withoutTallyItems } from "./support/items.ts";
import { type OpenStore, openStore } from "./support/open-store.ts";
import { ACCOUNT, alias, NOW, recipient } from "./support/samples.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

const [owner, other] = [recipient("owner"), recipient("other")];
const shop = alias("shop", [owner]);
const PAGE = { limit: 10, after: null };

const { dynamo, documents } = useDynamoDb();
let table: string;
let store: OpenStore;

beforeEach(async () => {
  table = await dynamo().newTable();
  store = openStore(dynamo().client(), table);
  for (const each of [owner, other]) valueOf(await store.recipients.create(each, NO_LIMITS));
  valueOf(await store.aliases.create(shop, NO_LIMITS));
});
afterEach(() => store.close());

let events = 0;
const event = (outcome: MailEvent["outcome"] = "sent", at = NOW): MailEvent => {
  events += 1;
  return { id: valueOf(parseEventId(`event-${events}`)), outcome, at };
};
const count = async (what: MailEvent, on: OpenStore = store, of: Alias = shop) =>
  valueOf(await on.aliases.recordOutcome(of, what));

const found = async (on: OpenStore = store, of: Alias = shop) =>
  valueOf(await on.aliases.findWithRecipients(ACCOUNT, of.id, [])).alias;
const listed = async (on: OpenStore = store) =>
  valueOf(await on.aliases.list(ACCOUNT, PAGE, { deleted: false })).items;

/** The alias as every way of reading it returns it: they must agree. */
const seen = async (of: Alias = shop) => {
  const one = await found(store, of);
  expect(valueOf(await store.aliases.findByEmail(of.email))).toEqual(one && Alias.state(one));
  expect((await listed()).find(({ id }) => id === of.id)).toEqual(one);
  return one;
};

const keys = async () => (await scan(documents(), table)).map(({ sk }) => sk);

test("the events of an alias are spread over all of its tally items, and read as one", async () => {
  const reports = Array.from({ length: 40 }, () => count(event()));
  expect(await Promise.all(reports)).toEqual(reports.map(() => "recorded"));
  const items = await scan(documents(), table);
  const counts = items.filter(({ sk }) => sk.startsWith("tally#shop\t")).map((item) => item["sentCount"]);
  expect(counts).toHaveLength(TALLY_ITEMS);
  expect(counts).not.toContain(undefined);
  expect((await seen())?.tallies).toEqual({ ...Tallies.none, sent: { count: 40, lastAt: NOW } });
});

test("the tallies in a list belong to their aliases, even if ids begin with other ids", async () => {
  const ids = ["shop ", "shop!", "shop#", "shop0", "shop00", "shopping", "sho", "shö"];
  const others = ids.map((id, n) => ({
    ...alias(`alias-${n}`, [owner]),
    id: valueOf(parseAliasId(id)),
  }));
  for (const each of others) valueOf(await store.aliases.create(each, NO_LIMITS));
  for (const [n, each] of others.entries()) {
    for (let times = 0; times <= n; times += 1) await count(event(), store, each);
  }
  for (const limit of [1, 3, 10]) {
    const counts = new Map<string, number>();
    for (let after: Alias["id"] | null = null, more = true; more; more = after !== null) {
      const page: { items: readonly Alias[]; next: Alias["id"] | null } = valueOf(
        await store.aliases.list(ACCOUNT, { limit, after }, { deleted: false }),
      );
      for (const { id, tallies } of page.items) counts.set(id, tallies.sent.count);
      after = page.next;
    }
    expect(counts).toEqual(
      new Map<string, number>([["shop", 0], ...ids.map((id, n) => [id, n + 1] as const)]),
    );
  }
});

describe("an alias from before there were tally items", () => {
  beforeEach(async () => {
    await withoutTallyItems(documents(), table, shop);
    for (const at of [NOW + 5, NOW + 6]) await countInAlias(documents(), table, shop, "sent", at);
  });

  test("keeps its tallies, and gets tally items with the next event", async () => {
    expect((await seen())?.tallies.sent).toEqual({ count: 2, lastAt: NOW + 6 });
    expect((await keys()).filter((sk) => sk.startsWith("tally#"))).toEqual([]);
    expect(await count(event("sent", NOW))).toBe("recorded");
    expect(await count(event("bounced", NOW + 1))).toBe("recorded");
    expect((await keys()).filter((sk) => sk.startsWith("tally#"))).toHaveLength(TALLY_ITEMS);
    expect((await seen())?.tallies).toEqual({
      ...Tallies.none,
      sent: { count: 3, lastAt: NOW + 6 },
      bounced: { count: 1, lastAt: NOW + 1 },
    });
    const { version, updatedAt } = shop;
    expect(await found()).toMatchObject({ version, updatedAt });
  });

  test("counts each event once, even if many are the first at the same time, on two servers", async () => {
    const second = openStore(dynamo().client(), table);
    const first = Array.from({ length: 12 }, () => event());
    const reports = [...first, ...first].map((each, i) => count(each, i % 3 === 0 ? second : store));
    const outcomes = await Promise.all(reports);
    expect(outcomes.filter((outcome) => outcome === "recorded")).toHaveLength(first.length);
    expect((await seen())?.tallies.sent).toEqual({ count: 2 + first.length, lastAt: NOW + 6 });
    second.close();
  });

  test("is erased with the items that count its events", async () => {
    await count(event());
    valueOf(await store.aliases.erase(shop));
    expect((await keys()).filter((sk) => /shop/.test(sk))).toEqual([]);
    expect(await store.aliases.recordOutcome(shop, event())).toMatchObject({
      error: { code: "alias_not_found" },
    });
  });
});

test("alongside servers that count in the alias, nothing is lost, and the last times are right", async () => {
  const report = fc.record({
    old: fc.boolean(),
    outcome: fc.constantFrom(...MAIL_OUTCOMES),
    at: fc.integer({ min: NOW, max: NOW + 9 }),
  });
  let serial = 0;
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(report, { maxLength: 12 }), async (isOld, reports) => {
      serial += 1;
      const each = alias(`alias-${serial}`, [owner]);
      valueOf(await store.aliases.create(each, NO_LIMITS));
      if (isOld) await withoutTallyItems(documents(), table, each);
      let expected: Tallies = Tallies.none;
      for (const { old, outcome, at } of reports) {
        // An old server would not let the time go back either.
        const last = (await found(store, each))?.tallies[outcome].lastAt ?? 0;
        if (old) await countInAlias(documents(), table, each, outcome, Math.max(at, last));
        else await count(event(outcome, at), store, each);
        expected = Tallies.add(expected, outcome, old ? Math.max(at, last) : at);
      }
      expect(await seen(each)).toEqual({ ...each, tallies: expected });
    }),
    { numRuns: runsWhole(import.meta.url) ? 15 : 4 },
  );
});

describe("an alias that is erased while it is read", () => {
  /** A store that calls back before it sees the response to its first request of this kind. */
  const openWatched = (command: string, respond: (output: unknown) => Promise<unknown>): OpenStore => {
    const client: DynamoDBClient = dynamo().client();
    let isFirst = true;
    client.middlewareStack.add(
      (next, context) => async (args) => {
        const result = await next(args);
        if (context["commandName"] !== command || !isFirst) return result;
        isFirst = false;
        await respond(result.output);
        return result;
      },
      { step: "initialize", name: "watch" },
    );
    return openStore(client, table);
  };
  const erase = async () => valueOf(await store.aliases.erase((await found()) ?? shop));

  beforeEach(() => count(event()));

  test("is not found, rather than found without its tallies", async () => {
    const watched = openWatched("BatchGetItemCommand", async (output) => {
      // As if the tally items had been read after the alias.
      const { Responses = {} } = output as { Responses?: Record<string, object[]> };
      for (const [name, items] of Object.entries(Responses)) {
        Responses[name] = items.filter((item) => !JSON.stringify(item).includes("tally#"));
      }
      await erase();
    });
    expect(await found(watched)).toBeNull();
    watched.close();
  });

  test("is not listed, rather than listed without its tallies", async () => {
    const news = alias("news", [owner]);
    valueOf(await store.aliases.create(news, NO_LIMITS));
    const watched = openWatched("QueryCommand", erase);
    expect((await listed(watched)).map(({ id }) => id)).toEqual([news.id]);
    watched.close();
  });
});

test("counting never conflicts with the owner's changes", async () => {
  // Long enough that everything sent together overlaps.
  const proxy = await conflictProxy(dynamo().endpoint, 30);
  const contended = openStore(dynamo().client(proxy.endpoint), table);
  const replace = replaceRecipients({ aliases: contended.aliases, clock: testPorts(NOW).clock });
  const reports = Array.from({ length: 60 }, () => count(event(), contended));
  for (let n = 0; n < 10; n += 1) {
    const recipientIds = [n % 2 === 0 ? other.id : owner.id];
    valueOf(await replace({ account: ACCOUNT, aliasId: shop.id, recipientIds }));
  }
  expect(await Promise.all(reports)).toEqual(reports.map(() => "recorded"));
  expect(proxy.conflicts).toEqual([]);
  expect(await found()).toMatchObject({ version: 11, tallies: { sent: { count: 60 } } });
  contended.close();
  await proxy.close();
});
