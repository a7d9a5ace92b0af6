import { setTimeout } from "node:timers/promises";
import { DeleteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import {
  Alias,
  EmailAddress,
  NO_LIMITS,
  parseAccountId,
  parseEmailAddress,
  parseEventId,
  type Recipient,
  type Store,
} from "@postern/core";
import type { Difference } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { runsWhole } from "@postern/test-support/runs-whole";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { searchItems } from "../src/search-items.ts";
import { Key, TALLY_ITEMS } from "../src/table.ts";
import {
  forgetSearchable,
  type Item,
  putAll,
  scan,
  setAttribute,
  withoutSearchItems,
} from "./support/items.ts";
import { type OpenStore, openStore } from "./support/open-store.ts";
import { ACCOUNT, alias, NOW, recipient, unverified } from "./support/samples.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

const { dynamo, documents } = useDynamoDb();
let table: string;
let store: OpenStore;
const reported: string[] = [];

const OTHER = valueOf(parseAccountId("other"));

/** `shop` lists home and work, in this order, `news` lists work, `old` is deleted and remembers home; `erased` is erased. */
const [home, work, free] = [recipient("home"), recipient("work"), recipient("free")];
const pending = unverified("pending");
const [shop, news, erased] = [alias("shop", [home, work]), alias("news", [work]), alias("erased", [home])];
const old: Alias = { ...alias("old", [home]), deletedAt: NOW };
const theirs: Recipient = { ...recipient("theirs"), account: OTHER };
const foreign: Alias = { ...alias("foreign", [recipient("theirs")]), account: OTHER };
const event = { id: valueOf(parseEventId("one")), outcome: "sent", at: NOW } as const;

/** What the calls of `fill` store, so that all tests but the first one need no calls. */
let filled: readonly Item[] | undefined;

const fill = async (): Promise<readonly Item[]> => {
  for (const each of [home, work, free, pending, theirs])
    valueOf(await store.recipients.create(each, { recipients: 90, unverifiedRecipients: 9 }));
  for (const each of [shop, news, old, erased, foreign])
    valueOf(await store.aliases.create(each, { aliases: 90 }));
  valueOf(await store.aliases.erase(erased));
  valueOf(await store.aliases.recordOutcome(shop, event));
  return scan(documents(), table);
};

beforeEach(async () => {
  table = await dynamo().newTable();
  reported.length = 0;
  store = openStore(dynamo().client(), table, { reported, clock: { now: () => NOW + 9 } });
  if (filled === undefined) filled = await fill();
  else await putAll(documents(), table, filled);
});
afterEach(() => store.close());

const addressOf = ({ email }: Pick<Alias, "email">) => Key.address(email);
const keyOf = (of: Pick<Alias, "account" | "id">) => Key.alias(of.account, of.id);
const recipientKey = ({ account, id }: Recipient) => Key.recipient(account, id);
const reservationOf = ({ account, email }: Recipient) => Key.recipientAddress(account, email);

const remove = async ({ pk, sk }: Key) => {
  await documents().send(new DeleteCommand({ TableName: table, Key: { pk, sk } }));
};
const set = async (key: Key, attribute: string, value: unknown) => {
  await setAttribute(documents(), table, key, attribute, value);
};
const put = (item: object) => putAll(documents(), table, [item]);

/** Every item by its key. */
const content = async (): Promise<ReadonlyMap<string, Item>> =>
  new Map((await scan(documents(), table)).map((item) => [`${item.pk} ${item.sk}`, item]));

const differences = async (): Promise<readonly Difference[]> => {
  const found: Difference[] = [];
  for await (const difference of store.differences(() => {})) found.push(valueOf(difference));
  return found;
};

/** What a check finds, sorted by kind: the order of the scan depends on hashes. */
const check = async () =>
  (await differences())
    .map(({ kind, account, alias, recipient, stored, right, remedy }) => ({
      kind,
      of: [account, alias, recipient].filter((id) => id !== null).join(" "),
      stored,
      right,
      by: remedy.by,
    }))
    .toSorted((a, b) => (a.kind + a.of < b.kind + b.of ? -1 : 1));

/** Repairs what can be repaired, like the server's command. Returns what remains. */
const repair = async (detach = false): Promise<readonly Difference[]> => {
  const left: Difference[] = [];
  for await (const found of store.differences(() => {})) {
    const difference = valueOf(found);
    const { remedy } = difference;
    const repair = remedy.by === "repair" ? remedy.repair : detach ? remedy.detach : null;
    if (repair === null) left.push(difference);
    else if (valueOf(await repair()) === "busy") left.push(difference);
  }
  return left;
};

test("a table that was only ever used by stores has no differences", async () => {
  const before = await content();
  expect(await check()).toEqual([]);
  expect(await repair(true)).toEqual([]);
  expect(await content()).toEqual(before);
  expect(reported).toEqual([]);
});

test("search items of a table that has not been migrated are not compared", async () => {
  await withoutSearchItems(documents(), table, shop);
  await put(searchItemOf(erased, 0));
  await forgetSearchable(documents(), table);
  expect(await check()).toEqual([]);
});

const RETIRED = {
  kind: "retired",
  of: "account shop",
  stored: "the alias exists, and its address is retired",
  right: "not retired until the alias is erased",
};

const UNLISTED = {
  kind: "retired",
  of: "",
  stored: "a retired address is not listed, and only its hash is known",
  right: "marked as not listed",
};

const tombstone = (of: Pick<Alias, "email">) => ({ ...addressOf(of), schema: 1, retired: true });
const listed = ({ email }: Pick<Alias, "email">) => ({
  ...Key.retired(email),
  schema: 1,
  email: EmailAddress.key(email),
});

const searchItemOf = (of: Alias, n: number) => searchItems(of)[n] ?? expect.unreachable("it has so many");
const LEFTOVER = { kind: "search", stored: "a search item that it should not have", right: "none" };

/** Makes the address lead to an alias. */
const lead = (of: Alias, account: string, id: string) => put({ ...addressOf(of), schema: 1, account, id });

const nowhere = { email: valueOf(parseEmailAddress("nowhere@alias.example")) };

/**
 * Several kinds of damage can be done in a row, so none changes an attribute of an item that another one removes.
 * After a repair, everything is as it was before the damage, unless `differs` says that some items are not.
 */
type Damage = {
  readonly what: string;
  readonly damage: () => Promise<void>;
  readonly found: readonly object[];
  readonly differs?: readonly (readonly [key: Key, item: object | undefined])[];
};

const repaired: readonly Damage[] = [
  {
    what: "a count of aliases that is too high",
    damage: () => set(recipientKey(work), "attached", 7),
    found: [{ kind: "attached", of: "account work", stored: "7", right: "2" }],
  },
  {
    what: "a count of aliases that is too low",
    damage: () => set(recipientKey(work), "attached", 0),
    found: [{ kind: "attached", of: "account work", stored: "0", right: "2" }],
  },
  {
    what: "an alias without its address",
    damage: () => remove(addressOf(shop)),
    found: [{ kind: "address", of: "account shop", stored: "missing", right: "leads to the alias" }],
  },
  {
    what: "an address that leads to an alias that does not exist",
    damage: () => lead(shop, "other", "nowhere"),
    found: [
      {
        kind: "address",
        of: "account shop",
        stored: "leads to an alias that does not have it",
        right: "leads to the alias",
      },
      {
        kind: "address",
        of: "other nowhere",
        stored: "an address leads to the alias, which does not exist",
        right: "retired",
      },
    ],
  },
  {
    what: "an address that leads to another alias",
    damage: () => lead(shop, OTHER, foreign.id),
    found: [
      {
        kind: "address",
        of: "account shop",
        stored: "leads to an alias that does not have it",
        right: "leads to the alias",
      },
      {
        kind: "address",
        of: "other foreign",
        stored: "leads to it from another address",
        right: "retired",
      },
    ],
  },
  {
    what: "half of an erasure: the address is retired",
    damage: () => put(tombstone(shop)),
    // The tombstone does not say whose it is.
    found: [UNLISTED, RETIRED],
  },
  {
    what: "half of an erasure: all but the alias",
    damage: () => putAll(documents(), table, [tombstone(shop), listed(shop)]),
    found: [RETIRED],
  },
  {
    what: "half of an erasure: the list of retired addresses",
    damage: () => put(listed(shop)),
    found: [
      {
        ...RETIRED,
        stored: "an alias exists, and its address is listed as retired",
        right: "not listed until the alias is erased",
      },
    ],
  },
  {
    what: "an address of no alias",
    damage: () => put({ ...addressOf(nowhere), schema: 1, account: "account", id: "nowhere" }),
    found: [
      {
        kind: "address",
        of: "account nowhere",
        stored: "an address leads to the alias, which does not exist",
        right: "retired",
      },
    ],
    differs: [[addressOf(nowhere), { ...tombstone(nowhere), unlisted: true }]],
  },
  {
    what: "an address of no alias that is listed as retired",
    damage: () =>
      putAll(documents(), table, [
        { ...addressOf(erased), schema: 1, account: "account", id: "erased" },
        listed(erased),
      ]),
    found: [
      {
        kind: "address",
        of: "account erased",
        stored: "an address leads to the alias, which does not exist",
        right: "retired",
      },
    ],
  },
  {
    what: "a retired address that is not taken",
    damage: () => remove(addressOf(erased)),
    found: [{ kind: "retired", of: "", stored: "a retired address is not taken", right: "taken" }],
  },
  {
    what: "a retired address that is not listed",
    damage: () => remove(Key.retired(erased.email)),
    found: [UNLISTED],
    differs: [
      [addressOf(erased), { ...tombstone(erased), unlisted: true }],
      [Key.retired(erased.email), undefined],
    ],
  },
  {
    what: "a recipient without its address",
    damage: () => remove(reservationOf(free)),
    found: [
      {
        kind: "recipient-address",
        of: "account free",
        stored: "missing",
        right: "reserved for the recipient",
      },
    ],
  },
  {
    what: "an address that is reserved for a recipient that does not exist, and not for the one that has it",
    damage: () => put({ ...reservationOf(free), schema: 1, recipient: "nobody" }),
    found: [
      {
        kind: "recipient-address",
        of: "account free",
        stored: "reserved for a recipient that does not have it",
        right: "reserved for the recipient",
      },
    ],
  },
  {
    what: "an address that is reserved for nobody",
    damage: () => put({ ...reservationOf(recipient("nobody")), schema: 1, recipient: "nobody" }),
    found: [
      {
        kind: "recipient-address",
        of: "account nobody",
        stored: "an address is reserved for the recipient, which does not exist",
        right: "not reserved",
      },
    ],
  },
  {
    what: "counts of the account",
    damage: async () => {
      await set(Key.usage(ACCOUNT, "aliases"), "total", 2);
      await set(Key.usage(ACCOUNT, "recipients"), "unverified", 0);
    },
    found: [
      { kind: "usage", of: "account", stored: "aliases: 2", right: "aliases: 3" },
      {
        kind: "usage",
        of: "account",
        stored: "recipients: 4, unverified: 0",
        right: "recipients: 4, unverified: 1",
      },
    ],
    // They are counted again when they are needed.
    differs: [
      [Key.usage(ACCOUNT, "aliases"), undefined],
      [Key.usage(ACCOUNT, "recipients"), undefined],
    ],
  },
  {
    what: "tally items that are missing",
    damage: async () => {
      for (const key of Key.tallies(ACCOUNT, news.id).slice(1)) await remove(key);
    },
    found: [{ kind: "tallies", of: "account news", stored: "1 of 4 tally items", right: "all" }],
  },
  {
    what: "an alias that does not say that it has tally items",
    damage: async () => {
      await documents().send(
        new UpdateCommand({
          TableName: table,
          Key: { ...keyOf(shop) },
          UpdateExpression: "REMOVE tallyItems",
        }),
      );
    },
    found: [
      {
        kind: "tallies",
        of: "account shop",
        stored: "4 of 4 tally items",
        right: "all, and the alias says so",
      },
    ],
  },
  {
    what: "an attachment that is not listed",
    damage: () => remove(Key.attachment(ACCOUNT, work.id, shop.id)),
    found: [
      {
        kind: "attachment",
        of: "account shop work",
        stored: "not listed for the recipient",
        right: "listed",
      },
    ],
  },
  {
    what: "an attachment to an alias that does not exist",
    damage: () => put({ ...Key.attachment(ACCOUNT, home.id, erased.id), schema: 1 }),
    found: [
      {
        kind: "attachment",
        of: "account erased home",
        stored: "listed for the recipient",
        right: "not listed",
      },
    ],
  },
  {
    what: "an attachment to an alias that does not list the recipient",
    damage: () => put({ ...Key.attachment(ACCOUNT, free.id, old.id), schema: 1 }),
    found: [
      {
        kind: "attachment",
        of: "account old free",
        stored: "listed for the recipient",
        right: "not listed",
      },
    ],
    // So that a save that is in progress looks again.
    differs: [[keyOf(old), { ...old, ...keyOf(old), schema: 1, tallyItems: TALLY_ITEMS, version: 2 }]],
  },
  {
    what: "a recipient that does not say that its aliases are listed",
    damage: () => set(recipientKey(home), "attachmentItems", 4),
    found: [{ kind: "listed", of: "account home", stored: "4", right: "1" }],
  },
  {
    what: "recipients whose aliases are not listed, as in a table of an older version",
    damage: async () => {
      for (const [{ id }, aliases] of [
        [home, [shop]],
        [work, [shop, news]],
      ] as const) {
        for (const each of aliases) await remove(Key.attachment(ACCOUNT, id, each.id));
        await documents().send(
          new UpdateCommand({
            TableName: table,
            Key: { ...Key.recipient(ACCOUNT, id) },
            UpdateExpression: "REMOVE attachmentItems",
          }),
        );
      }
    },
    found: [
      { kind: "listed", of: "account home", stored: "0", right: "1" },
      { kind: "listed", of: "account work", stored: "0", right: "2" },
    ],
  },
  {
    what: "half of an attachment: the alias",
    damage: async () => {
      await remove(Key.attachment(ACCOUNT, work.id, news.id));
      await set(recipientKey(work), "attached", 1);
      await set(recipientKey(work), "attachmentItems", 1);
    },
    found: [
      { kind: "attached", of: "account work", stored: "1", right: "2" },
      { kind: "listed", of: "account work", stored: "1", right: "2" },
    ],
  },
  {
    what: "tally items of no alias",
    damage: () =>
      putAll(
        documents(),
        table,
        Key.tallies(ACCOUNT, erased.id)
          .slice(2)
          .map((key) => ({ ...key, schema: 1 })),
      ),
    found: [
      {
        kind: "leftover",
        of: "account erased",
        stored: "2 of 4 tally items",
        right: "none without an alias",
      },
    ],
  },
  {
    what: "a search item that is missing",
    damage: () => remove(searchItemOf(shop, 1)),
    found: [{ kind: "search", of: "account shop", stored: "2 of 3 search items", right: "all" }],
  },
  {
    what: "a search item with other words",
    damage: () => set(searchItemOf(news, 2), "text", "others"),
    found: [{ kind: "search", of: "account news", stored: "2 of 3 search items", right: "all" }],
  },
  {
    what: "a search item of a word that the alias does not have",
    damage: () => put(searchItemOf({ ...shop, description: "others" }, 1)),
    found: [{ ...LEFTOVER, of: "account shop" }],
  },
  {
    what: "search items of no alias",
    damage: () => putAll(documents(), table, searchItems(erased)),
    found: [1, 2, 3].map(() => ({ ...LEFTOVER, of: "account erased" })),
  },
  {
    what: "a search item in a partition that has nothing else",
    damage: () => put({ pk: "account#nobody", sk: "search#word#a\tgone", schema: 1, text: "a" }),
    found: [{ ...LEFTOVER, of: "nobody gone" }],
  },
  {
    what: "tally items in a partition that has nothing else",
    damage: () => put({ pk: "account#nobody", sk: "tally#a\t1", schema: 1 }),
    found: [
      { kind: "leftover", of: "nobody a", stored: "1 of 4 tally items", right: "none without an alias" },
    ],
  },
];

describe("a repair fixes", () => {
  test.for(repaired)("$what", async ({ damage, found, differs = [] }) => {
    const before = await content();
    await damage();
    expect(await check()).toEqual(found.map((difference) => ({ ...difference, by: "repair" })));
    expect(await repair()).toEqual([]);
    const expected = new Map(before);
    for (const [{ pk, sk }, item] of differs) {
      if (item === undefined) expected.delete(`${pk} ${sk}`);
      else expected.set(`${pk} ${sk}`, { pk, sk, ...item });
    }
    expect(await content()).toEqual(expected);
    expect(await check()).toEqual([]);
  });

  const CONFLICT = { error: { code: "conflict" } };

  test("calls that always failed because of a count or an address", async () => {
    await set(recipientKey(work), "attached", 0);
    await remove(reservationOf(free));
    await put(tombstone(news));
    const replaced = valueOf(Alias.replaceRecipients(shop, [home.id], [home], NOW));
    expect(await store.aliases.save(shop, replaced)).toMatchObject(CONFLICT);
    expect(await store.aliases.save(news, Alias.delete(news, NOW))).toMatchObject(CONFLICT);
    expect(await store.aliases.erase(news)).toMatchObject(CONFLICT);
    expect(await store.recipients.remove(free)).toMatchObject(CONFLICT);
    expect(await repair()).toEqual([]);
    valueOf(await store.aliases.save(shop, replaced));
    valueOf(await store.aliases.save(replaced, Alias.delete(replaced, NOW)));
    valueOf(await store.aliases.erase(news));
    valueOf(await store.recipients.remove(free));
    expect(await check()).toEqual([]);
  });

  test("a recipient that an alias lists, which can then no longer be deactivated", async () => {
    await set(recipientKey(work), "attached", 0);
    expect(await repair()).toEqual([]);
    const inactive = { ...work, active: false, version: 2 };
    expect(await store.recipients.save(work, inactive)).toMatchObject(CONFLICT);
  });
});

describe("differences that only the operator can resolve", () => {
  const row = (state: string, recipient: string, of = "shop") => ({
    kind: "destination",
    of: `account ${of} ${recipient}`,
    stored: state,
    right: "verified and active",
    by: "operator",
  });

  test.for([
    ["inactive", () => set(recipientKey(home), "active", false)],
    ["unverified", () => set(recipientKey(home), "verifiedAt", null)],
    [
      "gone",
      async () => {
        await remove(recipientKey(home));
        await remove(reservationOf(home));
      },
    ],
  ] as const)(
    "a recipient that must not receive mail, %s, is left, and detached on request",
    async ([state, damage]) => {
      // The recipients are counted again when needed.
      await remove(Key.usage(ACCOUNT, "recipients"));
      await damage();
      const before = await content();
      expect(await check()).toEqual([row(state, "home")]);
      expect(await repair()).toHaveLength(1);
      expect(await content()).toEqual(before);
      expect(await repair(true)).toEqual([]);
      expect(await check()).toEqual([]);
      expect(valueOf(await store.aliases.findByEmail(shop.email))).toMatchObject({
        destinations: [{ recipientId: "work" }],
        version: 2,
        updatedAt: NOW + 9,
        deletedAt: null,
      });
      expect(valueOf(await store.recipients.find(ACCOUNT, home.id))?.attached ?? 0).toBe(0);
    },
  );

  test("an alias without any other recipient is deleted on request, and can be restored", async () => {
    await remove(Key.usage(ACCOUNT, "recipients"));
    await remove(recipientKey(work));
    await remove(reservationOf(work));
    expect(await check()).toEqual([row("gone", "work", "news"), row("gone", "work")]);
    expect(await repair(true)).toEqual([]);
    expect(await check()).toEqual([]);
    const deleted = valueOf(await store.aliases.findByEmail(news.email));
    expect(deleted).toMatchObject({ deletedAt: NOW + 9, destinations: [{ recipientId: "work" }] });
    if (deleted === null) return;
    const restored = valueOf(Alias.restore(deleted, [free.id], [free], NOW + 10));
    valueOf(await store.aliases.save(deleted, restored));
    expect(await check()).toEqual([]);
  });

  test("two aliases with one address, until one is erased", async () => {
    await remove(addressOf(foreign));
    await set(keyOf(foreign), "email", shop.email);
    await remove(searchItemOf(foreign, 0));
    await put(searchItemOf({ ...foreign, email: shop.email }, 0));
    expect(await check()).toEqual([
      {
        kind: "address",
        of: "other foreign",
        stored: "leads to alias shop of account account, which has the same address",
        right: "leads to the alias",
        by: "operator",
      },
    ]);
    expect(await repair(true)).toHaveLength(1);
    valueOf(await store.aliases.erase(shop));
    expect(await repair()).toEqual([]);
    expect(valueOf(await store.aliases.findByEmail(shop.email))).toMatchObject({
      id: foreign.id,
      account: OTHER,
    });
    expect(await check()).toEqual([]);
  });

  test("two recipients with one address, which are left to the operator", async () => {
    await remove(reservationOf(free));
    await set(recipientKey(free), "email", home.email);
    await set(recipientKey(free), "attached", 0);
    expect(await check()).toEqual([
      {
        kind: "recipient-address",
        of: "account free",
        stored: "reserved for recipient home, which has the same address",
        right: "reserved for the recipient",
        by: "operator",
      },
    ]);
    expect(await repair(true)).toHaveLength(1);
  });

  test("items that do not parse are left; counts that they may belong to are not touched", async () => {
    await set(keyOf(shop), "version", -1);
    await set(recipientKey(work), "attached", 9);
    await set(recipientKey(free), "schema", 2);
    await set(addressOf(news), "id", 7);
    await put({ ...Key.retired(nowhere.email), schema: 1, email: "x" });
    const before = await content();
    const item = (of: string, key: string) => ({
      kind: "unreadable",
      of,
      stored: `the item ${key} does not parse`,
      right: "a valid one",
      by: "operator",
    });
    expect(await check()).toEqual(
      [
        item("", addressOf(news).pk),
        item("", "retired"),
        item("account", "alias#shop"),
        item("account", "recipient#free"),
      ].map((each) => expect.objectContaining({ ...each, stored: expect.any(String) })),
    );
    await repair(true);
    expect(await content()).toEqual(before);
  });
});

test("a repair that meets another write looks again", async () => {
  await set(recipientKey(work), "attached", 9);
  await remove(addressOf(shop));
  const found = await differences();
  expect(found).toHaveLength(2);
  // Meanwhile, others write to the items to be repaired.
  const after = { ...news, deletedAt: NOW, version: 2 };
  valueOf(await store.aliases.save(news, after));
  await put({ ...addressOf(shop), schema: 1, account: "account", id: "shop" });
  for (const { kind, remedy } of found) {
    if (remedy.by === "operator") expect.unreachable(kind);
    else expect(valueOf(await remedy.repair())).toBe(kind === "attached" ? "repaired" : "gone");
  }
  expect(valueOf(await store.recipients.find(ACCOUNT, work.id))?.attached).toBe(1);
});

/** Makes the writes of a server's users, until `done`, but at least a few. */
const traffic = async (user: Store, name: string, done: () => boolean) => {
  const own = [recipient(`${name}-a`), recipient(`${name}-b`)];
  for (const each of own) valueOf(await user.recipients.create(each, NO_LIMITS));
  for (let created = 0; created < 4 || !done(); created += 1) {
    const first = alias(`${name}-${created}`, own);
    valueOf(await user.aliases.create(first, NO_LIMITS));
    const listed = [own[created % 2]?.id ?? home.id] as const;
    const second = valueOf(Alias.replaceRecipients(first, listed, own, NOW));
    valueOf(await user.aliases.save(first, second));
    if (created % 3 === 0) valueOf(await user.aliases.erase(second));
    await setTimeout(10);
  }
};

test("while servers write, their unfinished writes are not differences, and a repair breaks nothing", async () => {
  let done = false;
  const users = ["x", "y"].map((name) => traffic(store, name, () => done));
  const settled = (found: Awaited<ReturnType<typeof check>>) =>
    found.filter(({ kind }) => kind !== "unsettled");
  for (let n = 0; n < 2; n += 1) expect(settled(await check())).toEqual([]);
  await set(recipientKey(free), "attached", 3);
  await remove(addressOf(shop));
  await set(addressOf(news), "retired", true);
  await set(Key.usage(ACCOUNT, "recipients"), "total", 80);
  await repair();
  done = true;
  await Promise.all(users);
  expect(await repair()).toEqual([]);
  expect(await check()).toEqual([]);
});

test("more items than one request reads are compared and repaired", async () => {
  const aliases = Array.from({ length: 110 }, (_, n) => alias(`many-${n}`, [free]));
  await putAll(
    documents(),
    table,
    aliases.map((each) => ({ ...each, ...keyOf(each), schema: 1, tallyItems: TALLY_ITEMS })),
  );
  expect((await check()).filter(({ kind }) => kind === "address")).toHaveLength(110);
  expect(await repair()).toEqual([]);
  expect(await check()).toEqual([]);
  expect(valueOf(await store.recipients.find(ACCOUNT, free.id))?.attached).toBe(110);
});

test("any damage that needs no decision is repaired, and nothing else changes", async () => {
  const reversible = repaired.filter(({ differs }) => differs === undefined);
  const before = await content();
  await fc.assert(
    fc.asyncProperty(fc.subarray([...reversible], { minLength: 1, maxLength: 5 }), async (damages) => {
      for (const { damage } of damages) await damage();
      expect(await repair()).toEqual([]);
      expect(await check()).toEqual([]);
      expect(await content()).toEqual(before);
    }),
    { numRuns: runsWhole(import.meta.url) ? 6 : 2 },
  );
});
