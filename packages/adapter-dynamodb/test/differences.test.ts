import { randomUUID } from "node:crypto";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import {
  Alias,
  type ApiKey,
  type BlockedSender,
  type Contact,
  EmailAddress,
  parseAccountId,
  parseAliasId,
  parseBlockedSenderId,
  parseContactId,
  parseEmailAddress,
  parseSender,
  type Recipient,
} from "@postern/core";
import { Announcement } from "@postern/core/store";
import { testMessage, valueOf } from "@postern/core/testing";
import {
  type Damage,
  fillWithSamples,
  linesOf,
  repair,
  SAMPLES,
  testDamages,
} from "@postern/test-support/store-damages";
import { expect, onTestFinished, test } from "vitest";
import { apiKeyLead, apiKeysItem } from "../src/api-keys-item.ts";
import { leadKey, leadTo } from "../src/blocked-sender-item.ts";
import { contactKeys, leadsTo } from "../src/contact-item.ts";
import { putMessage } from "../src/message-item.ts";
import { searchItems } from "../src/search-items.ts";
import { Key, TALLY_ITEMS } from "../src/table.ts";
import { forwardingProxy, reply } from "./support/forwarding-proxy.ts";
import { forgetSearchable, type Item, putAll, scan } from "./support/items.ts";
import { openStore } from "./support/open-store.ts";
import { announcement, apiKey, webhook } from "./support/samples.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

const { dynamo, documents } = useDynamoDb();

const { now: NOW, home, work, free, shop, news, gone, old, foreign, bob, spam } = SAMPLES;
const ACCOUNT = shop.account;
const OTHER = foreign.account;
const NOBODY = valueOf(parseAccountId("nobody"));

/** Without the tokens that checks leave, and the events that tally items remember, which no repair knows. */
const byKey = (items: readonly Item[]): Map<string, Item> =>
  new Map(items.map(({ recounting: _, events: __, ...item }) => [`${item.pk} ${item.sk}`, item]));

/** Two API keys of the account, one that nobody has, and one of another account with the hash of the first. */
const [phone, laptop, lost] = [apiKey("a"), apiKey("b"), apiKey("c")];
const theirs: ApiKey = { ...apiKey("d", foreign.account), hash: phone.hash };

/** The item that lists one API key, the only one of its account. */
const listOf = (only: ApiKey) => ({
  ...Key.apiKeys(only.account),
  schema: 1,
  revision: randomUUID(),
  ...apiKeysItem.attributes([only]),
});

/** What the calls of `begin` store, so that all tests but the first one need no calls. */
let filled: readonly Item[] | undefined;

const begin = async () => {
  const table = await dynamo().newTable();
  const reported: string[] = [];
  const store = openStore(dynamo().client(), table, { reported, clock: { now: () => NOW + 9 } });
  onTestFinished(() => {
    store.close();
    expect(reported).toEqual([]);
  });
  if (filled === undefined) {
    await fillWithSamples(store);
    for (const each of [phone, laptop]) valueOf(await store.apiKeys.create(each));
    filled = await scan(documents(), table);
  } else await putAll(documents(), table, filled);
  /** Does nothing if there is no item: another damage may have removed it. */
  const update = async (key: Key, expression: string, attribute: string, values?: object) => {
    const condition = {
      ConditionExpression: "attribute_exists(pk)",
      ExpressionAttributeNames: { "#attribute": attribute },
      ExpressionAttributeValues: values === undefined ? undefined : { ...values },
    };
    try {
      await documents().send(
        new UpdateCommand({ TableName: table, Key: Key.of(key), UpdateExpression: expression, ...condition }),
      );
    } catch (thrown) {
      if (!(thrown instanceof ConditionalCheckFailedException)) throw thrown;
    }
  };
  return {
    table,
    store,
    /** Every item by its key. */
    content: async (): Promise<ReadonlyMap<string, Item>> => byKey(await scan(documents(), table)),
    put: (...items: readonly object[]) => putAll(documents(), table, items),
    remove: async (...keys: readonly Key[]) => {
      for (const key of keys)
        await documents().send(new DeleteCommand({ TableName: table, Key: Key.of(key) }));
    },
    set: (key: Key, attribute: string, value: unknown) =>
      update(key, "SET #attribute = :value", attribute, { ":value": value }),
    unset: (key: Key, attribute: string) => update(key, "REMOVE #attribute", attribute),
  };
};

type Subject = Awaited<ReturnType<typeof begin>>;

const by = (damage: Damage<Subject>["damage"]): Damage<Subject> => ({ damage });
const found = (lines: readonly string[], damage: Damage<Subject>["damage"]) => ({ damage, found: lines });

const addressOf = ({ email }: Pick<Alias, "email">) => Key.address(email);
const keyOf = (of: Pick<Alias, "account" | "id">) => Key.alias(of.account, of.id);
const recipientKey = ({ account, id }: Recipient) => Key.recipient(account, id);
const reservationOf = ({ account, email }: Recipient) => Key.recipientAddress(account, email);
const attachmentOf = (recipient: Recipient, alias: Alias) => Key.attachment(ACCOUNT, recipient.id, alias.id);
const searchItemOf = (of: Alias, n: number) => searchItems(of)[n] ?? expect.unreachable("it has so many");
const tombstone = (of: Pick<Alias, "email">) => ({ ...addressOf(of), schema: 1, retired: true });
const listed = ({ email }: Pick<Alias, "email">) => ({
  ...Key.retired(email),
  schema: 1,
  email: EmailAddress.key(email),
});
/** Makes the address lead to an alias. */
const lead = (of: Pick<Alias, "email">, account: string, id: string) => ({
  ...addressOf(of),
  schema: 1,
  account,
  id,
});

const nowhere = { email: valueOf(parseEmailAddress("nowhere@alias.example")) };
const LONELY = webhook("w", "lonely");
const ads: BlockedSender = {
  ...spam,
  id: valueOf(parseBlockedSenderId("a".repeat(26))),
  sender: valueOf(parseSender("ads.example")),
};
const blockedKey = ({ account, id }: BlockedSender) => Key.blockedSender(account, id);
const carol: Contact = {
  ...bob,
  id: valueOf(parseContactId("c".repeat(26))),
  email: valueOf(parseEmailAddress("carol@sender.example")),
};
const [bobKey, bobPosition, bobId] = contactKeys(bob);
const contactItem = (contact: Contact) => ({ ...contact, ...contactKeys(contact)[0], schema: 1 });

/** Everything is as before, except for these items. */
const except =
  (...changed: readonly (readonly [key: Key, item: object | undefined])[]) =>
  async ({ content }: Subject) => {
    const expected = byKey(filled ?? []);
    for (const [{ pk, sk }, item] of changed) {
      if (item === undefined) expected.delete(`${pk} ${sk}`);
      else expected.set(`${pk} ${sk}`, { ...expected.get(`${pk} ${sk}`), ...item, pk, sk });
    }
    expect(await content()).toEqual(expected);
  };

/** So that a save that is in progress looks again. */
const renewed = (alias: Alias) => ({ after: except([keyOf(alias), { version: 2 }]) });

const COUNTS = (["aliases", "recipients"] as const).map((counted) => Key.usage(ACCOUNT, counted));

testDamages<Subject>(
  {
    begin,
    repaired: {
      "a count of aliases that is too high": by(({ set }) => set(recipientKey(work), "attached", 7)),
      "a count of aliases that is too low": by(({ set }) => set(recipientKey(work), "attached", 0)),
      "a recipient that is not attached to an alias that lists it": by(({ remove }) =>
        remove(attachmentOf(work, shop)),
      ),
      "a recipient attached to an alias that does not list it": {
        ...by(({ put }) => put({ ...attachmentOf(free, news), schema: 1 })),
        ...renewed(news),
      },
      "a recipient attached to a deleted alias": {
        ...by(({ put }) => put({ ...attachmentOf(home, old), schema: 1 })),
        ...renewed(old),
      },
      "a recipient attached to an alias that does not exist": found(
        ["leftover account gone home: 1 in attachment"],
        ({ put }) => put({ ...attachmentOf(home, gone), schema: 1 }),
      ),
      "an alias without its address": by(({ remove }) => remove(addressOf(shop))),
      "an address that leads to an alias that does not exist": by(({ put }) =>
        put(lead(shop, "other", "nowhere")),
      ),
      "an address that leads to another alias": by(({ put }) => put(lead(shop, OTHER, foreign.id))),
      "an alias whose address is retired": by(({ put }) => put(tombstone(shop))),
      "an address of no alias": {
        ...by(({ put }) => put(lead(nowhere, "account", "nowhere"))),
        after: except([addressOf(nowhere), tombstone(nowhere)]),
      },
      "wrong counts of an account": {
        ...found(
          [
            "usage account: aliases: 7; right: aliases: 3",
            "usage account: recipients: 4, unverified: 0; right: recipients: 4, unverified: 1",
          ],
          async ({ set }) => {
            await set(Key.usage(ACCOUNT, "aliases"), "total", 7);
            await set(Key.usage(ACCOUNT, "recipients"), "unverified", 0);
          },
        ),
        // They are counted again when they are needed.
        after: async (subject) => {
          const before = (filled ?? []).filter((item) => !COUNTS.some((key) => Key.same(key, item)));
          expect(await subject.content()).toEqual(byKey(before));
        },
      },
      "an alias that is not found by a word": by(({ remove }) => remove(searchItemOf(shop, 1))),
      "an alias that is found by a word that it does not have": by(({ put }) =>
        put(searchItemOf({ ...shop, description: "others" }, 1)),
      ),
      "words of an alias that does not exist": found(["leftover account gone: 3 in search"], ({ put }) =>
        put(...searchItems(gone)),
      ),
      "words other than those of the description": by(({ set }) =>
        set(searchItemOf(shop, 2), "text", "others"),
      ),
      "tallies of an alias that does not exist": found(["leftover nobody gone: 2 in tallies"], ({ put }) =>
        put(
          ...Key.tallies(NOBODY, gone.id)
            .slice(2)
            .map((key) => ({ ...key, schema: 1 })),
        ),
      ),
      "a contact of an alias that does not exist": by(({ put }) => {
        const contact = { ...carol, account: NOBODY, alias: gone.id };
        return put(contactItem(contact), ...leadsTo(contact));
      }),
      "a logged message of an alias that does not exist": by(({ put }) =>
        put(putMessage(testMessage({ account: NOBODY, id: gone.id }, { at: NOW })).Item),
      ),
    },
    undecided: {
      "an alias that does not parse": found(["undecided unreadable account"], ({ set }) =>
        set(keyOf(shop), "version", -1),
      ),
      "a recipient that does not parse": found(["undecided unreadable account"], ({ set }) =>
        set(recipientKey(free), "schema", 2),
      ),
      "a contact that does not parse": found(["undecided unreadable account"], ({ set }) =>
        set(bobKey, "blocking", "sometimes"),
      ),
      "a blocked sender that does not parse": by(({ set }) => set(blockedKey(spam), "sender", "nobody")),
      "a webhook that does not parse, in an account that has nothing else": by(({ put }) =>
        put({ ...Key.webhooks(LONELY.account), schema: 2 }),
      ),
      "an API key that does not parse, in an account that has nothing else": by(({ put }) =>
        put({ ...Key.apiKeys(LONELY.account), schema: 2 }),
      ),
      "one of two logged messages that does not parse": found(["undecided unreadable account"], ({ put }) => {
        const [right, wrong] = [shop, news].map((alias) => putMessage(testMessage(alias, { at: NOW })).Item);
        return put({ ...right }, { ...wrong, direction: "sideways" });
      }),
      // Its partition belongs to no account.
      "an announcement that does not parse, in an account that has nothing else": found(
        ["undecided unreadable"],
        ({ put }) =>
          put({ ...Key.announcement(LONELY, Announcement.position(announcement(LONELY))), schema: 2 }),
      ),
      "turns that do not parse, in an account that has nothing else": by(({ put }) =>
        put({ ...Key.turns(LONELY), schema: 2, account: "lonely" }),
      ),
      // What tally items have counted is not compared with the events that are remembered.
      "more events than were counted": null,
      "two aliases with one address": by(async ({ remove, set, put }) => {
        await remove(addressOf(foreign), searchItemOf(foreign, 0));
        await set(keyOf(foreign), "email", shop.email);
        await put(searchItemOf({ ...foreign, email: shop.email }, 0));
      }),
    },
    ineligible: async ({ set, remove }, recipient, state) => {
      if (state === "gone") await remove(recipientKey(recipient), reservationOf(recipient));
      else if (state === "inactive") await set(recipientKey(recipient), "active", false);
      else await set(recipientKey(recipient), "verifiedAt", null);
    },
    also: {
      repaired: {
        "half of an erasure: all but the alias": found(["address account shop: 1 wrong"], ({ put }) =>
          put(tombstone(shop), listed(shop)),
        ),
        "half of an erasure: the list of retired addresses": found(
          ["address account shop: 1 surplus"],
          ({ put }) => put(listed(shop)),
        ),
        "an address of no alias that is listed as retired": found(
          ["address account gone: 1 surplus", "address: 1 wrong"],
          ({ put }) => put(lead(gone, "account", "gone"), listed(gone)),
        ),
        "a retired address that is not taken": found(["address: 1 missing"], ({ remove }) =>
          remove(addressOf(gone)),
        ),
        "a recipient without its address": found(
          ["recipient-address account free: 1 missing"],
          ({ remove }) => remove(reservationOf(free)),
        ),
        "an address that is reserved for a recipient that does not exist, and not for the one that has it":
          found(
            ["recipient-address account free: 1 wrong", "recipient-address account nobody: 1 surplus"],
            ({ put }) => put({ ...reservationOf(free), schema: 1, recipient: "nobody" }),
          ),
        "an address that is reserved for nobody": found(
          ["recipient-address account nobody: 1 surplus"],
          ({ put }) =>
            put({ ...reservationOf({ ...free, email: carol.email }), schema: 1, recipient: "nobody" }),
        ),
        "tally items that are missing": found(["tallies account news: 3 missing"], ({ remove }) =>
          remove(...Key.tallies(ACCOUNT, news.id).slice(1)),
        ),
        "an alias that does not say that it has tally items": found(
          ["tallies account shop: 1 wrong"],
          ({ unset }) => unset(keyOf(shop), "tallyItems"),
        ),
        "a recipient that does not say that its aliases are listed": found(
          ["listed account home: 4; right: 1"],
          ({ set }) => set(recipientKey(home), "attachmentItems", 4),
        ),
        "recipients whose aliases are not listed, as in a table of an older version": found(
          [
            "attachment account news: 1 missing",
            "attachment account shop: 2 missing",
            "listed account home: 0; right: 1",
            "listed account work: 0; right: 2",
          ],
          async ({ remove, unset }) => {
            await remove(attachmentOf(home, shop), attachmentOf(work, shop), attachmentOf(work, news));
            for (const each of [home, work]) await unset(recipientKey(each), "attachmentItems");
          },
        ),
        "half of an attachment: the alias": found(
          [
            "attached account work: 1; right: 2",
            "attachment account news: 1 missing",
            "listed account work: 1; right: 2",
          ],
          async ({ remove, set }) => {
            await remove(attachmentOf(work, news));
            await set(recipientKey(work), "attached", 1);
            await set(recipientKey(work), "attachmentItems", 1);
          },
        ),
        "a contact that is not in its list": found(["contact account shop: 1 missing"], ({ remove }) =>
          remove(bobPosition),
        ),
        "a contact that is not found by its id": found(["contact account shop: 1 missing"], ({ remove }) =>
          remove(bobId),
        ),
        "an id that leads to a contact that does not exist, and not to the one that has it": found(
          ["contact account shop: 1 surplus", "contact account shop: 1 wrong"],
          ({ set }) => set(bobId, "email", carol.email),
        ),
        "an id and a place in the list that lead to a contact that does not exist": found(
          ["contact account shop: 1 surplus", "contact account shop: 1 surplus"],
          ({ put }) => put(...leadsTo(carol)),
        ),
        "a second place in the list": found(["contact account shop: 1 surplus"], ({ put }) =>
          put(leadsTo({ ...bob, createdAt: NOW - 1 })[0]),
        ),
        "a blocked sender that mail is not compared with": found(
          ["blocked-sender account: 1 missing"],
          ({ remove }) => remove(leadKey(spam)),
        ),
        "senders that mail is compared with, and that are not blocked": found(
          ["blocked-sender account: 1 surplus", "blocked-sender account: 1 surplus"],
          ({ put }) =>
            put(leadTo(ads), {
              ...leadTo({ ...ads, sender: valueOf(parseSender("bob@ads.example")) }),
              blockedSender: spam.id,
            }),
        ),
        "a blocked sender behind an item that leads to nothing": found(
          ["blocked-sender account: 1 surplus", "blocked-sender account: 1 wrong"],
          ({ set }) => set(leadKey(spam), "blockedSender", ads.id),
        ),
        "API keys that are not found by their hashes": found(["api-key account: 2 missing"], ({ remove }) =>
          remove(apiKeyLead(phone), apiKeyLead(laptop)),
        ),
        "hashes of API keys that do not exist": found(
          ["api-key account: 1 surplus", "api-key nobody: 1 surplus"],
          ({ put }) => put(apiKeyLead(lost), apiKeyLead({ ...apiKey("d"), account: NOBODY })),
        ),
        "an API key whose hash leads to an account without any": found(
          ["api-key account: 1 wrong", "api-key nobody: 1 surplus"],
          ({ put }) => put(apiKeyLead({ ...phone, account: NOBODY })),
        ),
        "API keys whose account does not list them": {
          ...found(["api-key account: 2 surplus"], ({ remove }) => remove(Key.apiKeys(ACCOUNT))),
          after: except(
            [Key.apiKeys(ACCOUNT), undefined],
            [apiKeyLead(phone), undefined],
            [apiKeyLead(laptop), undefined],
          ),
        },
        "a sender that is blocked twice": found(["blocked-sender account: 1 surplus"], ({ put }) => {
          const twin = { ...spam, id: valueOf(parseBlockedSenderId("b".repeat(26))) };
          return put({ ...twin, ...blockedKey(twin), schema: 1 });
        }),
      },
      undecided: {
        "two recipients with one address": found(
          [
            "undecided recipient-address account free: leads to recipient home of account account, which has the same",
          ],
          async ({ remove, set }) => {
            await remove(reservationOf(free));
            await set(recipientKey(free), "email", home.email);
          },
        ),
        "two contacts with one id": found(
          ["undecided contact account news: leads to alias shop of account account, which has the same"],
          ({ put }) => put(contactItem({ ...bob, alias: news.id }), leadsTo({ ...bob, alias: news.id })[0]),
        ),
        "two API keys with one hash": found(
          ["undecided api-key other: leads to account account, which has the same"],
          ({ put }) => put(listOf(theirs)),
        ),
        "API keys that do not parse": found(["undecided unreadable account"], ({ set }) =>
          set(Key.apiKeys(ACCOUNT), "apiKeys", []),
        ),
        "an alias that does not parse, and a count that it may belong to": found(
          ["undecided unreadable account"],
          async ({ set }) => {
            await set(keyOf(shop), "version", -1);
            await set(recipientKey(work), "attached", 9);
          },
        ),
        "items that lead to others, and do not parse": found(
          Array.from({ length: 8 }, (_, n) => `undecided unreadable${n < 4 ? " account" : ""}`).toSorted(),
          async ({ set, put }) => {
            await set(leadKey(spam), "blockedSender", "Bob");
            await set(bobPosition, "email", "nobody");
            await set(bobId, "email", "nobody");
            await set(addressOf(news), "id", 7);
            await set(apiKeyLead(laptop), "account", 7);
            await set(searchItemOf(news, 1), "text", 7);
            await set(attachmentOf(work, news), "schema", 2);
            await put({ ...Key.retired(nowhere.email), schema: 1, email: "x" });
          },
        ),
      },
    },
  },
  import.meta.url,
);

test("a retired address that is missing in the list stays so: only its hash is known", async () => {
  const subject = await begin();
  await subject.remove(Key.retired(gone.email));
  expect(await linesOf(subject)).toEqual([]);
});

test("what a table that has not been migrated lacks is not compared", async () => {
  const subject = await begin();
  await subject.remove(searchItemOf(shop, 0), attachmentOf(home, shop));
  await subject.unset(keyOf(shop), "tallyItems");
  await subject.unset(recipientKey(home), "attachmentItems");
  await subject.put(searchItemOf(gone, 0));
  await forgetSearchable(documents(), subject.table);
  expect(await linesOf(subject)).toEqual([]);
});

test("a repair that meets another write looks again", async () => {
  const subject = await begin();
  const { store, set, remove, put } = subject;
  await set(recipientKey(work), "attached", 9);
  await remove(addressOf(shop));
  const differences = [];
  for await (const difference of store.differences(() => {})) differences.push(valueOf(difference));
  expect(differences).toHaveLength(2);
  // Meanwhile, others write to the items to be repaired.
  valueOf(await store.aliases.save(news, { ...news, deletedAt: NOW, version: 2 }));
  await put(lead(shop, "account", "shop"));
  for (const { kind, remedy } of differences) {
    if (remedy.by === "operator") expect.unreachable(kind);
    else expect(valueOf(await remedy.repair())).toBe(kind === "attached" ? "repaired" : "gone");
  }
  expect(valueOf(await store.recipients.find(ACCOUNT, work.id))?.attached).toBe(1);
});

test("a count that changes whenever it is compared is not said to be wrong", async () => {
  const { table, store, set, content } = await begin();
  await set(recipientKey(work), "attached", 9);
  let [current, isCounting] = [news, false];
  const proxy = await forwardingProxy(dynamo().endpoint, async ({ operation, body, outgoing, forward }) => {
    if (operation === "TransactWriteItems") isCounting = true;
    // The first page of the count.
    if (operation === "Query" && isCounting) {
      isCounting = false;
      const next = current.destinations[0].recipientId === work.id ? free : work;
      const after = valueOf(Alias.replaceRecipients(current, [next.id], [next], NOW));
      valueOf(await store.aliases.save(current, after));
      current = after;
    }
    reply(outgoing, await forward(body));
  });
  const slow = openStore(dynamo().client(proxy.endpoint), table);
  expect(await linesOf({ store: slow, content })).toEqual([
    "undecided unsettled account work: a count that may be wrong, but changed whenever it was compared",
  ]);
  slow.close();
  await proxy.close();
});

test("the hash of two API keys belongs to the second one once the first is deleted", async () => {
  const subject = await begin();
  const { store, put } = subject;
  await put(listOf(theirs));
  valueOf(await store.apiKeys.remove(ACCOUNT, phone.id));
  expect(await linesOf(subject)).toEqual(["api-key other: 1 missing"]);
  expect(await repair(subject)).toEqual([]);
  expect(valueOf(await store.apiKeys.findByHash(phone.hash))).toEqual(theirs);
  expect(await linesOf(subject)).toEqual([]);
});

test("API keys that come and go while they are compared are not differences", async () => {
  const subject = await begin();
  const { apiKeys } = subject.store;
  let done = false;
  const comeAndGo = async (passing: ApiKey) => {
    while (!done) {
      valueOf(await apiKeys.create(passing));
      valueOf(await apiKeys.remove(passing.account, passing.id));
    }
  };
  const passing = [lost, apiKey("e"), { ...apiKey("f"), account: NOBODY }].map(comeAndGo);
  try {
    for (let n = 0; n < 3; n += 1) expect(await linesOf(subject)).toEqual([]);
  } finally {
    done = true;
    await Promise.all(passing);
  }
  expect(await linesOf(subject)).toEqual([]);
});

test("more items than one request reads are compared and repaired", async () => {
  const subject = await begin();
  await subject.put(
    ...Array.from({ length: 110 }, (_, n) => {
      const id = valueOf(parseAliasId(`many-${n}`));
      const email = valueOf(parseEmailAddress(`many-${n}@alias.example`));
      const destinations = [{ recipientId: free.id, email: free.email }];
      return {
        ...shop,
        id,
        email,
        destinations,
        ...Key.alias(ACCOUNT, id),
        schema: 1,
        tallyItems: TALLY_ITEMS,
      };
    }),
  );
  expect((await linesOf(subject)).filter((line) => line.startsWith("address"))).toHaveLength(110);
  expect(await repair(subject)).toEqual([]);
  expect(await linesOf(subject)).toEqual([]);
  expect(valueOf(await subject.store.recipients.find(ACCOUNT, free.id))?.attached).toBe(110);
});

test("more items of an alias that does not exist than one transaction removes are removed", async () => {
  const subject = await begin();
  const before = await subject.content();
  await subject.put(
    ...Array.from({ length: 110 }, (_, n) => {
      const email = valueOf(parseEmailAddress(`sender-${n}@sender.example`));
      const id = valueOf(parseContactId("d".repeat(24) + String.fromCharCode(97 + (n % 26), 97 + n / 26)));
      const contact = { ...carol, alias: gone.id, id, email };
      const message = testMessage({ account: ACCOUNT, id: gone.id }, { at: NOW + n });
      return [contactItem(contact), ...leadsTo(contact), putMessage(message).Item];
    }).flat(),
  );
  const found = (await linesOf(subject)).map(
    (line) => /^leftover account gone: (\d+) in (\w+)$/.exec(line) ?? [],
  );
  for (const where of ["contacts", "logged_messages"])
    expect(found.reduce((sum, [, count, of]) => sum + (of === where ? Number(count) : 0), 0)).toBe(110);
  expect(await repair(subject)).toEqual([]);
  expect(await subject.content()).toEqual(before);
});
