import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { migrateTable } from "@postern/adapter-dynamodb";
import { Alias, NO_LIMITS, parseEventId } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { searchItems } from "../src/search-items.ts";
import { Key, TALLY_ITEMS } from "../src/table.ts";
import { attachmentsIn } from "./support/attachments.ts";
import { conflictProxy } from "./support/conflict-proxy.ts";
import { forwardingProxy, reply } from "./support/forwarding-proxy.ts";
import {
  countInAlias,
  forgetSearchable,
  type Item,
  isSearchable,
  putAll,
  scan,
  setAttribute,
  withoutAttachmentItems,
  withoutSearchItems,
  withoutTallyItems,
} from "./support/items.ts";
import { type OpenStore, openStore } from "./support/open-store.ts";
import { ACCOUNT, alias, NOW, recipient } from "./support/samples.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

const owner = recipient("owner");

const { dynamo, documents } = useDynamoDb();
let table: string;
let store: OpenStore;

beforeEach(async () => {
  table = await dynamo().newTable();
  store = openStore(dynamo().client(), table);
  valueOf(await store.recipients.create(owner, NO_LIMITS));
});
afterEach(() => store.close());

let events = 0;
const event = () => {
  events += 1;
  return { id: valueOf(parseEventId(`event-${events}`)), outcome: "sent", at: NOW } as const;
};

/** Aliases from before there were tally items, each with one event. */
const olderAliases = async (count: number): Promise<readonly Alias[]> => {
  const aliases = Array.from({ length: count }, (_, n) => alias(`older-${n}`, [owner]));
  for (const each of aliases) {
    valueOf(await store.aliases.create(each, NO_LIMITS));
    await withoutTallyItems(documents(), table, each);
    await countInAlias(documents(), table, each, "sent", NOW);
  }
  return aliases;
};

const content = async (): Promise<readonly Item[]> =>
  (await scan(documents(), table)).toSorted((a, b) => (`${a.pk} ${a.sk}` < `${b.pk} ${b.sk}` ? -1 : 1));

const sentTo = async ({ id }: Alias) =>
  valueOf(await store.aliases.findWithRecipients(ACCOUNT, id, [])).alias?.tallies.sent.count;

/** The sort keys of an alias that has tally items. */
const complete = ({ account, id }: Alias) =>
  [Key.alias(account, id), ...Key.tallies(account, id)].map(({ sk }) => sk);

const migrate = (endpoint = dynamo().endpoint) => migrateTable({ ...dynamo().location, endpoint }, table);

test("gives older aliases tally items, keeps every tally, and deletes the tally items of erased aliases", async () => {
  const older = await olderAliases(7);
  const news = alias("news", [owner]);
  valueOf(await store.aliases.create(news, NO_LIMITS));
  valueOf(await store.aliases.recordOutcome(news, event()));
  const gone = alias("gone", [owner]);
  const left = Key.tallies(ACCOUNT, gone.id).map((key) => ({ ...key, schema: 1, sentCount: 1, sentAt: NOW }));
  await putAll(documents(), table, left);
  const before = await content();

  expect(valueOf(await migrate())).toEqual({ aliases: 7, erased: 1, listed: 0, searchable: 0 });
  const after = await content();
  const changed = new Set([...older, gone].flatMap(complete));
  const others = (items: readonly Item[]) => items.filter(({ sk }) => !changed.has(sk));
  expect(others(after)).toEqual(others(before));
  expect(after.filter(({ sk }) => changed.has(sk)).map(({ sk }) => sk)).toEqual(
    older.flatMap(complete).toSorted(),
  );
  for (const each of older) expect(await sentTo(each)).toBe(1);

  expect(valueOf(await migrate())).toEqual({ aliases: 0, erased: 0, listed: 0, searchable: 0 });
  expect(await content()).toEqual(after);
});

describe("aliases that older servers have attached and detached", () => {
  const second = recipient("second");
  const gone = alias("gone", [owner]);
  const unlisted = async (count: number): Promise<readonly Alias[]> => {
    valueOf(await store.recipients.create(second, NO_LIMITS));
    const aliases = Array.from({ length: count }, (_, n) =>
      alias(`older-${n}`, n % 3 ? [owner, second] : [owner]),
    );
    for (const each of aliases) {
      valueOf(await store.aliases.create(each, NO_LIMITS));
      await withoutAttachmentItems(documents(), table, each);
    }
    // An older server has erased this one.
    await putAll(documents(), table, [{ ...Key.attachment(ACCOUNT, owner.id, gone.id), schema: 1 }]);
    return aliases;
  };

  const expectListed = async () => {
    for (const { id, attached, attachmentItems, listed, expected } of attachmentsIn(await content())) {
      expect(listed, id).toEqual(expected);
      expect([id, attached, attachmentItems]).toEqual([id, expected.length, expected.length]);
    }
  };

  test("are listed for their recipients, and only those", async () => {
    const aliases = await unlisted(9);
    valueOf(await store.aliases.create(alias("new", [second]), NO_LIMITS));
    // Nothing else says that one of them is not listed.
    const hidden = alias("hidden", [second]);
    valueOf(await store.aliases.create(hidden, NO_LIMITS));
    await withoutAttachmentItems(documents(), table, hidden);
    await setAttribute(documents(), table, Key.recipient(ACCOUNT, second.id), "attachmentItems", 8);
    expect(valueOf(await migrate())).toEqual({
      aliases: 0,
      erased: 0,
      listed: aliases.length + 1,
      searchable: 0,
    });
    await expectListed();
    const after = await content();
    expect(valueOf(await migrate())).toEqual({ aliases: 0, erased: 0, listed: 0, searchable: 0 });
    expect(await content()).toEqual(after);
  });

  test("are listed even if a server changes one in the meantime", async () => {
    const [, both] = await unlisted(2);
    if (both === undefined) return expect.unreachable("there are two");
    let changed = false;
    const proxy = await forwardingProxy(dynamo().endpoint, async ({ operation, body, outgoing, forward }) => {
      const key = Key.attachment(ACCOUNT, owner.id, both.id).sk;
      if (!changed && operation === "TransactWriteItems" && body.includes(key)) {
        changed = true;
        valueOf(await store.aliases.save(both, { ...both, description: "changed", version: 2 }));
      }
      reply(outgoing, await forward(body));
    });
    expect(valueOf(await migrate(proxy.endpoint)).listed).toBe(2);
    expect(changed).toBe(true);
    await expectListed();
    await proxy.close();
  });

  test("are listed while servers attach and detach them", async () => {
    const aliases = await unlisted(30);
    const proxy = await conflictProxy(dynamo().endpoint, 5);
    const server = openStore(dynamo().client(proxy.endpoint), table);
    let migrating = true;
    const serve = async (own: readonly Alias[]) => {
      const current = [...own];
      for (let n = 0; migrating; n += 1) {
        const before = current[n % current.length] ?? expect.unreachable("there are aliases");
        const to = Alias.attachedRecipients(before).includes(second.id) ? owner : second;
        const after = valueOf(Alias.replaceRecipients(before, [to.id], [to], NOW));
        valueOf(await server.aliases.save(before, after));
        current[n % current.length] = after;
        await setTimeout(10);
      }
    };
    const served = [serve(aliases.slice(0, 10)), serve(aliases.slice(10, 20))];
    const migrated = await migrate(proxy.endpoint);
    migrating = false;
    await Promise.all(served);
    expect(valueOf(migrated).listed).toBeGreaterThanOrEqual(10);
    await expectListed();
    server.close();
    await proxy.close();
  });
});

describe("aliases from before there were search items", () => {
  const found = async (q: string) =>
    valueOf(await store.aliases.list(ACCOUNT, { limit: 50, after: null }, { deleted: false, q })).items.map(
      ({ id }) => id,
    );
  const older = async (count: number): Promise<readonly Alias[]> => {
    const aliases = Array.from({ length: count }, (_, n) => ({
      ...alias(`older-${n}`, [owner]),
      description: n % 2 === 0 ? `number ${n}` : "one of many words, none of which is said twice, I think",
    }));
    for (const each of aliases) {
      valueOf(await store.aliases.create(each, NO_LIMITS));
      await withoutSearchItems(documents(), table, each);
    }
    await forgetSearchable(documents(), table);
    return aliases;
  };

  test("get them, and lose those that an older server has left", async () => {
    const aliases = await older(5);
    const [first, second] = aliases;
    if (first === undefined || second === undefined) return expect.unreachable("there are five");
    const deleted = { ...alias("deleted", [owner]), deletedAt: NOW };
    valueOf(await store.aliases.create(deleted, NO_LIMITS));
    await withoutSearchItems(documents(), table, deleted);
    // An older server has described one differently, and erased another.
    await putAll(documents(), table, [
      ...searchItems({ ...first, description: "earlier" }),
      ...searchItems(alias("gone", [owner])),
    ]);
    expect(valueOf(await migrate())).toEqual({ aliases: 0, erased: 0, listed: 0, searchable: 6 });
    const after = await content();
    const items = after.filter(({ sk }) => sk.startsWith("search#")).map(({ sk }) => sk);
    expect(items).toEqual(
      [...aliases, deleted]
        .flatMap(searchItems)
        .map(({ sk }) => sk)
        .toSorted(),
    );
    expect(await isSearchable(documents(), table)).toBe(true);
    expect(await found("number 2")).toEqual(["older-2"]);
    expect(await found("twice")).toEqual(["older-3", "older-1"]);
    expect(valueOf(await migrate())).toEqual({ aliases: 0, erased: 0, listed: 0, searchable: 0 });
    expect(await content()).toEqual(after);
  });

  test("get the items of a description that a server changes in the meantime", async () => {
    const [first] = await older(1);
    if (first === undefined) return expect.unreachable("there is one");
    const changed = { ...first, description: "changed number", version: 2 };
    let saved = false;
    const proxy = await forwardingProxy(dynamo().endpoint, async ({ operation, body, outgoing, forward }) => {
      // The migration's first writes are for this alias.
      if (operation === "TransactWriteItems" && !saved) {
        saved = true;
        valueOf(await store.aliases.save(first, changed));
      }
      reply(outgoing, await forward(body));
    });
    valueOf(await migrate(proxy.endpoint));
    expect(saved).toBe(true);
    const items = (await content()).filter(({ sk }) => sk.startsWith("search#")).map(({ sk }) => sk);
    expect(items).toEqual(
      searchItems(changed)
        .map(({ sk }) => sk)
        .toSorted(),
    );
    await proxy.close();
  });
});

test("says why the table cannot be migrated", async () => {
  const missing = await migrateTable(dynamo().location, "missing");
  expect(failureOf(missing)).toMatchObject({ code: "table_error", reason: "ResourceNotFoundException" });
});

test("a migration that is killed halfway and repeated, with servers running, loses no count and finishes", async () => {
  const older = await olderAliases(60);
  await forgetSearchable(documents(), table);
  // Transactions take time and conflict, so that the migration takes a while and meets the servers.
  const proxy = await conflictProxy(dynamo().endpoint, 15);
  const servers = [openStore(dynamo().client(proxy.endpoint), table), store] as const;
  const recorded = new Map<Alias, number>(older.map((each) => [each, 1]));
  const erased = new Set<Alias>();
  let migrating = true;
  const serve = async (server: OpenStore, first: number) => {
    for (let n = first; migrating; n += 1) {
      const each = older[(n * 7) % older.length] ?? expect.unreachable("there are aliases");
      if (erased.has(each)) continue;
      if (n % 23 === 22) {
        erased.add(each);
        valueOf(await server.aliases.erase(each));
      } else if ((await server.aliases.recordOutcome(each, event())).isOk()) {
        recorded.set(each, (recorded.get(each) ?? 0) + 1);
      }
    }
  };
  const served = [serve(servers[0], 0), serve(servers[1], 30)];

  const migrated = async () => (await content()).filter(({ tallyItems }) => tallyItems !== undefined).length;
  const child = fork(fileURLToPath(new URL("support/migrate-process.ts", import.meta.url)), [
    proxy.endpoint,
    table,
  ]);
  await expect.poll(migrated, { interval: 5 }).toBeGreaterThan(10);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await migrated()).toBeLessThan(older.length - erased.size);
  expect(await isSearchable(documents(), table)).toBe(false);

  const again = await migrate(proxy.endpoint);
  migrating = false;
  await Promise.all(served);
  expect(valueOf(again).aliases).toBeGreaterThan(0);
  expect(await isSearchable(documents(), table)).toBe(true);
  const keys = (await content()).map(({ sk }) => sk).filter((sk) => /^(alias|tally)#/.test(sk));
  const remaining = older.filter((each) => !erased.has(each));
  expect(remaining.length).toBeGreaterThan(0);
  expect(keys.toSorted()).toEqual(remaining.flatMap(complete).toSorted());
  for (const each of remaining) expect(await sentTo(each), each.id).toBe(recorded.get(each));
  expect(valueOf(await migrate())).toEqual({ aliases: 0, erased: 0, listed: 0, searchable: 0 });
  expect(keys.filter((sk) => sk.startsWith("tally#"))).toHaveLength(remaining.length * TALLY_ITEMS);
  servers[0].close();
  await proxy.close();
});
