import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { type Alias, NO_LIMITS, type Recipient } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Key } from "../src/table.ts";
import { putAll, scan } from "./support/items.ts";
import { type OpenStore, openStore } from "./support/open-store.ts";
import { ACCOUNT, alias, recipient, unverified, verified } from "./support/samples.ts";
import { forgetUsage, usageIn } from "./support/usage.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

const owner = recipient("owner");
const numbered = <T>(count: number, make: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => make(n));

const { dynamo, documents } = useDynamoDb();
let table: string;
let store: OpenStore;
const reported: string[] = [];

const open = (client = dynamo().client()) => openStore(client, table, { reported });

beforeEach(async () => {
  reported.length = 0;
  table = await dynamo().newTable();
  store = open();
});
afterEach(() => store.close());

const usage = async () => usageIn(await scan(documents(), table));

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
  const client = dynamo().client();
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
  return { ...open(client), queries: () => queries };
};

const createAliases = (names: readonly string[], limit: number, on = store) =>
  Promise.all(names.map((name) => on.aliases.create(alias(name, [owner]), { aliases: limit })));

describe("the aliases and recipients of an account are counted", () => {
  test("when they are created, verified, removed and erased", async () => {
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
    const left = await scan(documents(), table);
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
    const second = open();
    for (const [round, isNew] of [true, false].entries()) {
      if (!isNew) await forgetUsage(documents(), table);
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
  });

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
    await forgetUsage(documents(), table);
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
    await putAll(documents(), table, items);
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
    await putAll(documents(), table, items);
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
    documents().send(
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
