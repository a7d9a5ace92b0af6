import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { dynamoStore } from "@postern/adapter-dynamodb";
import { type Alias, NO_LIMITS, type Recipient, type Store } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { type DynamoDbLocal, startDynamoDbLocal } from "@postern/test-support/dynamodb-local";
import * as fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Key } from "../src/table.ts";
import { type FaultProxy, faultProxy } from "./support/fault-proxy.ts";
import { FAULTS } from "./support/fault-proxy-faults.ts";
import { atRandom } from "./support/fault-proxy-plans.ts";
import { ACCOUNT, alias, NOW, recipient } from "./support/samples.ts";
import { forgetUsage, putAll, scan, usageIn } from "./support/usage.ts";

const owner = recipient("owner");
const unverified = (name: string): Recipient => ({ ...recipient(name), verifiedAt: null });
const verified = (before: Recipient): Recipient => ({
  ...before,
  verifiedAt: NOW,
  version: before.version + 1,
});
const numbered = <T>(count: number, make: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => make(n));

let dynamo: DynamoDbLocal;
let documents: DynamoDBDocumentClient;
let table: string;
let store: Store & { close(): void };
let reported: string[];

const openStore = (client = dynamo.client(), timeoutMs = 30_000) =>
  dynamoStore({
    client,
    table,
    clock: Date,
    onCorruptItem: ({ pk, sk }) => reported.push(`${pk} ${sk}`),
    timeoutMs,
  });

beforeAll(async () => {
  dynamo = await startDynamoDbLocal();
  documents = DynamoDBDocumentClient.from(dynamo.client());
}, 60_000);
afterAll(async () => {
  documents.destroy();
  await dynamo.stop();
});
beforeEach(async () => {
  reported = [];
  table = await dynamo.newTable();
  store = openStore();
});
afterEach(() => store.close());

const usage = async () => usageIn(await scan(documents, table));

type Kind = "aliases" | "recipients";

/** Throws unless the counts match what a scan finds. If there is nothing, there must be no counts. */
const expectExact = async (...kinds: readonly Kind[]) => {
  const found = await usage();
  for (const kind of kinds.length > 0 ? kinds : (["aliases", "recipients"] as const)) {
    const { actual, counted } = found[kind];
    expect(counted, kind).toEqual(actual.total === 0 ? null : actual);
  }
};

type Watch = { readonly pageSize?: number; readonly afterQuery?: (n: number) => unknown };

/** A store that counts its queries, reads at most a page with each, and calls back before each response. */
const openWatched = ({ pageSize, afterQuery = () => {} }: Watch = {}) => {
  const client = dynamo.client();
  let queries = 0;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (context["commandName"] !== "QueryCommand") return next(args);
      queries += 1;
      const n = queries;
      const input = pageSize === undefined ? args.input : { ...args.input, Limit: pageSize };
      const output = await next({ ...args, input });
      await afterQuery(n);
      return output;
    },
    { step: "initialize", name: "afterQuery" },
  );
  return { ...openStore(client), queries: () => queries };
};

const createAliases = (names: readonly string[], limit: number, on = store) =>
  Promise.all(names.map((name) => on.aliases.create(alias(name, [owner]), { aliases: limit })));

describe("what an account has is counted", () => {
  test("when it is created, verified, removed and erased", async () => {
    const [work, home] = [unverified("work"), unverified("home")];
    for (const each of [owner, work, home]) valueOf(await store.recipients.create(each, NO_LIMITS));
    valueOf(await store.aliases.create(alias("shop", [owner]), NO_LIMITS));
    valueOf(await store.aliases.create(alias("news", [owner]), NO_LIMITS));
    expect(await usage()).toMatchObject({
      aliases: { counted: { total: 2, unverified: 0 } },
      recipients: { counted: { total: 3, unverified: 2 } },
    });
    valueOf(await store.recipients.save(work, verified(work)));
    valueOf(await store.recipients.remove(home));
    valueOf(await store.aliases.erase(alias("shop", [owner])));
    expect(await usage()).toMatchObject({
      aliases: { counted: { total: 1, unverified: 0 } },
      recipients: { counted: { total: 2, unverified: 0 } },
    });
    await expectExact();
  });

  test("and no count remains when nothing is left to count", async () => {
    const work = unverified("work");
    for (const each of [owner, work]) valueOf(await store.recipients.create(each, NO_LIMITS));
    valueOf(await store.aliases.create(alias("shop", [owner]), NO_LIMITS));
    valueOf(await store.aliases.erase(alias("shop", [owner])));
    for (const each of [owner, work]) valueOf(await store.recipients.remove(each));
    const left = await scan(documents, table);
    expect(left.filter(({ pk }) => pk === Key.usage(ACCOUNT, "aliases").pk)).toEqual([]);
  });

  test("a refused write counts nothing", async () => {
    valueOf(await store.recipients.create(owner, NO_LIMITS));
    await createAliases(["shop", "news"], 0);
    const before = await usage();
    const stale = { ...alias("shop", [owner]), version: 9 };
    expect(failureOf(await store.aliases.erase(stale))).toEqual({ code: "conflict" });
    expect(failureOf(await store.recipients.remove(owner))).toEqual({ code: "conflict" });
    expect(failureOf(await store.recipients.save({ ...owner, verifiedAt: null, version: 9 }, owner))).toEqual(
      {
        code: "conflict",
      },
    );
    expect(await usage()).toEqual(before);
  });
});

describe("the limit", () => {
  test("is exact when two stores race to it, on a table with counts and on one without", async () => {
    valueOf(await store.recipients.create(owner, NO_LIMITS));
    const second = openStore();
    for (const [round, isNew] of [true, false].entries()) {
      if (!isNew) await forgetUsage(documents, table);
      const limit = (round + 1) * 10;
      const names = (prefix: string) => numbered(12, (n) => `${prefix}-${round}-${n}`);
      const [one, two] = await Promise.all([
        createAliases(names("one"), limit, store),
        createAliases(names("two"), limit, second),
      ]);
      const failures = [...one, ...two].filter((created) => created.isErr()).map(failureOf);
      expect(failures).toEqual(numbered(24 - 10, () => ({ code: "too_many_aliases", limit })));
      expect((await usage()).aliases).toMatchObject({ actual: { total: limit }, counted: { total: limit } });
    }
    second.close();
  }, 120_000);

  test("yields to other reasons: first the id, then the address, then the limit", async () => {
    const [shop, idle] = [alias("shop", [owner]), unverified("idle")];
    for (const each of [owner, idle]) valueOf(await store.recipients.create(each, NO_LIMITS));
    valueOf(await store.aliases.create(shop, NO_LIMITS));
    const full = { aliases: 1 };
    const other = alias("other", [owner]);
    const createAlias = async (each: Alias) => failureOf(await store.aliases.create(each, full));
    expect(await createAlias(shop)).toEqual({ code: "conflict" });
    expect(await createAlias({ ...other, id: shop.id })).toEqual({ code: "conflict" });
    expect(await createAlias({ ...other, email: shop.email })).toEqual({ code: "address_taken" });
    expect(await createAlias(other)).toEqual({ code: "too_many_aliases", limit: 1 });
    expect(await createAlias(alias("other", [recipient("unknown")]))).toEqual({
      code: "too_many_aliases",
      limit: 1,
    });

    const createRecipient = async (each: Recipient, recipients: number, unverifiedRecipients: number) =>
      failureOf(await store.recipients.create(each, { recipients, unverifiedRecipients }));
    const next = unverified("next");
    expect(await createRecipient({ ...next, id: idle.id }, 2, 1)).toEqual({ code: "conflict" });
    expect(await createRecipient({ ...next, email: idle.email }, 2, 1)).toEqual({ code: "address_taken" });
    expect(await createRecipient(next, 2, 1)).toEqual({ code: "too_many_recipients", limit: 2 });
    expect(await createRecipient(next, 3, 1)).toEqual({ code: "too_many_unverified_recipients", limit: 1 });
    expect(await createRecipient(recipient("next"), 2, 1)).toEqual({ code: "too_many_recipients", limit: 2 });
    valueOf(await store.recipients.create(recipient("next"), { recipients: 3, unverifiedRecipients: 1 }));
    await expectExact();
  });
});

describe("an account that was never counted", () => {
  const shop = alias("shop", [owner]);
  const work = unverified("work");

  beforeEach(async () => {
    for (const each of [owner, work]) valueOf(await store.recipients.create(each, NO_LIMITS));
    await createAliases(["shop", "news"], 0);
    await forgetUsage(documents, table);
  });

  const uncounted = { aliases: { counted: null }, recipients: { counted: null } };

  test("is counted when a limit has to be checked", async () => {
    expect((await createAliases(["one"], 3)).map((created) => created.isOk())).toEqual([true]);
    valueOf(await store.recipients.create(unverified("two"), { recipients: 9, unverifiedRecipients: 2 }));
    expect(await usage()).toMatchObject({
      aliases: { counted: { total: 3, unverified: 0 } },
      recipients: { counted: { total: 3, unverified: 2 } },
    });
    await expectExact();
  });

  test("is refused more than the limit, whatever other reasons for refusal there are", async () => {
    const watched = openWatched();
    const create = async (each: Alias) => failureOf(await watched.aliases.create(each, { aliases: 2 }));
    expect(await create({ ...alias("one", [owner]), id: shop.id })).toEqual({ code: "conflict" });
    expect(await create({ ...alias("one", [owner]), email: shop.email })).toEqual({ code: "address_taken" });
    expect(watched.queries()).toBe(0);
    expect(await create(alias("one", [owner]))).toEqual({ code: "too_many_aliases", limit: 2 });
    const limits = { recipients: 0, unverifiedRecipients: 1 };
    expect(failureOf(await store.recipients.create(unverified("two"), limits))).toEqual({
      code: "too_many_unverified_recipients",
      limit: 1,
    });
    expect(await usage()).toMatchObject(uncounted);
    watched.close();
  });

  test("is not counted by writes that remove something", async () => {
    valueOf(await store.aliases.erase(shop));
    valueOf(await store.recipients.save(work, verified(work)));
    valueOf(await store.recipients.remove(verified(work)));
    expect(await usage()).toMatchObject(uncounted);
  });

  test("is not counted if there is no limit, however much it has", async () => {
    const items = numbered(500, (n) => ({
      ...Key.alias(ACCOUNT, alias(`many-${n}`, [owner]).id),
      padding: "x",
    }));
    await putAll(documents, table, items);
    const watched = openWatched({ pageSize: 10 });
    await createAliases(["one", "two"], 0, watched);
    watched.close();
    // Each reads one item, to find out whether there is anything.
    expect(watched.queries()).toBe(2);
    expect((await usage()).aliases.counted).toBeNull();
    expect((await createAliases(["three"], 600)).map((created) => created.isOk())).toEqual([true]);
    await expectExact("aliases");
  });

  test("is counted page by page, up to the limit", async () => {
    const items = numbered(50, (n) => Key.alias(ACCOUNT, alias(`many-${n}`, [owner]).id));
    await putAll(documents, table, items);
    // DynamoDB ends a response at 1 MB; DynamoDB Local does not when it only counts.
    const watched = openWatched({ pageSize: 10 });
    const [refused] = await createAliases(["one"], 12, watched);
    expect(refused).toMatchObject({ error: { code: "too_many_aliases", limit: 12 } });
    // One query finds out whether there is anything.
    expect(watched.queries()).toBe(1 + 2);
    const [created] = await createAliases(["one"], 53, watched);
    expect(created?.isOk()).toBe(true);
    expect(watched.queries()).toBe(1 + 2 + 6);
    watched.close();
    await expectExact("aliases");
  });

  test("is counted exactly, despite creations without a limit before and during the count", async () => {
    await createAliases(["before"], 0);
    const watched = openWatched({
      afterQuery: (query) => (query === 1 ? createAliases(["during"], 0) : null),
    });
    expect((await createAliases(["one"], 100, watched)).map((created) => created.isOk())).toEqual([true]);
    watched.close();
    await expectExact("aliases");
  });

  describe("is counted exactly, even if during the count another server", () => {
    const other = alias("other", [owner]);
    const meanwhile: Record<string, () => Promise<unknown>> = {
      "erases an alias": () => store.aliases.erase(shop),
      "creates an alias without a limit": () => store.aliases.create(other, NO_LIMITS),
      "creates an alias within a limit": () => store.aliases.create(other, { aliases: 100 }),
      "creates an alias and erases it": async () => {
        await store.aliases.create(other, NO_LIMITS);
        await store.aliases.erase(other);
      },
      "removes a recipient": () => store.recipients.remove(work),
      "verifies a recipient": () => store.recipients.save(work, verified(work)),
      "creates a recipient without a limit": () => store.recipients.create(unverified("other"), NO_LIMITS),
      "creates an unverified recipient": () =>
        store.recipients.create(unverified("other"), { recipients: 100, unverifiedRecipients: 100 }),
    };

    test.for(Object.entries(meanwhile).flatMap(([name, run]) => [1, 2].map((n) => [name, n, run] as const)))(
      "%s (after query %i)",
      async ([name, n, run]) => {
        const watched = openWatched({ afterQuery: (query) => (query === n ? run() : null) });
        const created = name.includes("alias")
          ? await watched.aliases.create(alias("one", [owner]), { aliases: 100 })
          : await watched.recipients.create(unverified("one"), {
              recipients: 100,
              unverifiedRecipients: 100,
            });
        valueOf(created);
        watched.close();
        expect(watched.queries()).toBeGreaterThanOrEqual(n);
        await expectExact(name.includes("alias") ? "aliases" : "recipients");
      },
    );
  });
});

test("a new account is counted exactly, even if another server creates and removes something during the count", async () => {
  const first = recipient("first");
  const watched = openWatched({
    afterQuery: async (query) => {
      if (query > 1) return;
      valueOf(await store.recipients.create(first, { recipients: 1, unverifiedRecipients: 1 }));
      valueOf(await store.recipients.remove(first));
    },
  });
  valueOf(await watched.recipients.create(owner, { recipients: 1, unverifiedRecipients: 1 }));
  watched.close();
  await expectExact();
});

describe("counts that are wrong because a server that does not count has changed the account", () => {
  const put = (counts: object) =>
    documents.send(
      new PutCommand({ TableName: table, Item: { ...Key.usage(ACCOUNT, "aliases"), schema: 1, ...counts } }),
    );

  test("do not prevent an alias from being erased, and are counted again if they are too low", async () => {
    valueOf(await store.recipients.create(owner, NO_LIMITS));
    await createAliases(["one", "two", "three"], 0);
    await put({ total: 1, unverified: 0 });
    valueOf(await store.aliases.erase(alias("one", [owner])));
    expect((await usage()).aliases.counted).toBeNull();
    expect(failureOf(await store.aliases.create(alias("four", [owner]), { aliases: 2 }))).toMatchObject({
      code: "too_many_aliases",
    });
    valueOf(await store.aliases.create(alias("four", [owner]), { aliases: 3 }));
    await expectExact();
  });

  test("that are corrupt are reported, and prevent creations", async () => {
    valueOf(await store.recipients.create(owner, NO_LIMITS));
    await createAliases(["one"], 0);
    await put({ total: "many", unverified: 0 });
    expect(failureOf(await store.aliases.create(alias("two", [owner]), { aliases: 9 }))).toEqual({
      code: "unavailable",
      cause: { source: "dynamodb", reason: "an item does not parse" },
    });
    expect(reported).toEqual(["account#account usage#aliases"]);
    valueOf(await store.aliases.erase(alias("one", [owner])));
    valueOf(await store.aliases.create(alias("two", [owner]), { aliases: 9 }));
    await expectExact();
  });
});

test("under faults, with two stores, no limit is ever exceeded and every count is exact", async () => {
  const LIMIT = 4;
  type Call = (on: Store) => ReturnType<Store["aliases"]["create"] | Store["recipients"]["create"]>;
  const pool = numbered(8, (n) => alias(`alias-${n}`, [owner]));
  const others = numbered(8, (n) => unverified(`recipient-${n}`));
  const limits = { recipients: LIMIT + 1, unverifiedRecipients: LIMIT - 1 };
  const call: fc.Arbitrary<Call> = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom(...pool).map(
        (each): Call =>
          (on) =>
            on.aliases.create(each, { aliases: LIMIT }),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...pool).map(
        (each): Call =>
          (on) =>
            on.aliases.erase(each),
      ),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom(...others).map(
        (each): Call =>
          (on) =>
            on.recipients.create(each, limits),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...others).map(
        (each): Call =>
          (on) =>
            on.recipients.save(each, verified(each)),
      ),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.constantFrom(...others), fc.boolean()).map(
        ([each, isVerified]): Call =>
          (on) =>
            on.recipients.remove(isVerified ? verified(each) : each),
      ),
    },
  );
  const codes = new Map<string, number>();
  const proxies: readonly FaultProxy[] = await Promise.all([
    faultProxy(dynamo.endpoint),
    faultProxy(dynamo.endpoint),
  ]);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(call, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 }),
      fc.nat(),
      fc.constantFrom(0, 0.15, 0.4),
      fc.boolean(),
      async (rounds, seed, chance, isOld) => {
        table = await dynamo.newTable();
        const direct = openStore();
        valueOf(await direct.recipients.create(owner, NO_LIMITS));
        for (const each of pool.slice(0, 2)) valueOf(await direct.aliases.create(each, NO_LIMITS));
        for (const each of others.slice(0, 2)) valueOf(await direct.recipients.create(each, NO_LIMITS));
        if (isOld) await forgetUsage(documents, table);
        const stores = proxies.map(({ endpoint }) => openStore(dynamo.serverClient(endpoint), 400));
        for (const round of rounds) {
          const before = await usage();
          for (const [i, proxy] of proxies.entries()) proxy.follow(atRandom(seed + i, chance, FAULTS));
          const made = await Promise.all(round.map((run, i) => run(stores[i % 2] ?? direct)));
          for (const proxy of proxies) {
            proxy.follow(() => null);
            await proxy.settled();
          }
          for (const result of made) {
            const code = result.isOk() ? "ok" : result.error.code;
            codes.set(code, (codes.get(code) ?? 0) + 1);
          }
          const after = await usage();
          for (const { actual, counted } of Object.values(after)) {
            // Only accounts from before there were limits may have something that is not counted.
            if (!isOld || counted !== null) expect(counted).toEqual(actual.total === 0 ? null : actual);
          }
          expect(after.aliases.actual.total).toBeLessThanOrEqual(LIMIT);
          expect(after.recipients.actual.total).toBeLessThanOrEqual(limits.recipients);
          expect(after.recipients.actual.unverified).toBeLessThanOrEqual(limits.unverifiedRecipients);
          if (made.every((result) => result.isErr() && result.error.code !== "unavailable")) {
            expect([after.aliases.actual, after.recipients.actual]).toEqual([
              before.aliases.actual,
              before.recipients.actual,
            ]);
          }
        }
        for (const each of [...stores, direct]) each.close();
      },
    ),
    { numRuns: 60, endOnFailure: true },
  );
  for (const proxy of proxies) await proxy.close();
  for (const code of ["ok", "conflict", "unavailable", "too_many_aliases"]) {
    expect(codes.get(code), code).toBeGreaterThan(5);
  }
  const tooMany =
    (codes.get("too_many_recipients") ?? 0) + (codes.get("too_many_unverified_recipients") ?? 0);
  expect(tooMany).toBeGreaterThan(5);
}, 300_000);
