import {
  Alias,
  type ApiKey,
  DEFAULT_LIMITS,
  LoggedMessage,
  MAIL_OUTCOMES,
  NO_LIMITS,
  parseAccountId,
  parseBlockedSenderId,
  parseContactId,
  parseCopyId,
  parseEmailAddress,
  parseEventId,
  parseMessageId,
  parseSender,
  parseSpoolMark,
} from "@postern/core";
import { replaceRecipients } from "@postern/core/operations";
import { type HandedReport, parseCreation, type Resend } from "@postern/core/store";
import { testBody, testMessage, testPorts, valueOf } from "@postern/core/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { NOTHING_REMEMBERED, ROOM } from "../src/remembered-events.ts";
import { Key, SCHEMA } from "../src/table.ts";
import { putAll, withoutTallyItems } from "./support/items.ts";
import { ACCOUNT, alias, announcement, apiKey, entry, NOW, recipient, webhook } from "./support/samples.ts";
import { useMeteredStore } from "./support/use-metered-store.ts";

/** In the sample of messages that count for the default limits, and not in it. */
const COUNTED = valueOf(parseMessageId("m".repeat(20).padEnd(26, "a")));
const UNCOUNTED = valueOf(parseMessageId("m".repeat(26)));

const [a, b, c] = [recipient("a"), recipient("b"), recipient("c")];
const unverified = { ...recipient("unverified"), verifiedAt: null };
const shop = alias("shop", [a, b]);

const { documents, metered, table, store } = useMeteredStore();

beforeEach(async () => {
  for (const each of [a, b, c, unverified]) valueOf(await store().recipients.create(each, NO_LIMITS));
  for (const each of [shop, alias("other", [b])]) valueOf(await store().aliases.create(each, NO_LIMITS));
  valueOf(await store().mailLedger.save([entry("one"), entry("two")]));
  metered();
});

const LEDGER_QUERIES = Array.from({ length: 16 }, () => expect.stringMatching(/^Query (0|0.5|1)$/));

const stranger = {
  id: valueOf(parseContactId("a".repeat(26))),
  email: valueOf(parseEmailAddress("bob@sender.example")),
  kind: "received",
  at: NOW,
} as const;

const creationOf = (id: string) => {
  const hashes = { key: "k".repeat(16), fingerprint: "f".repeat(16) };
  return valueOf(parseCreation({ account: ACCOUNT, ...hashes, kind: "alias", id, at: Date.now() }));
};

const spammer = {
  id: valueOf(parseBlockedSenderId("s".repeat(26))),
  account: ACCOUNT,
  sender: valueOf(parseSender("spam.example")),
  createdAt: NOW,
};

const message = testMessage(shop, { at: Date.now() });
const resend: Resend = {
  spool: testBody(0).spool,
  account: shop.account,
  alias: shop.id,
  message: message.id,
  at: message.at,
};
const handed: HandedReport = {
  spool: valueOf(parseSpoolMark("spoolone")),
  copy: valueOf(parseCopyId("c".repeat(26))),
  outcome: "bounced",
  onlyIfToAlias: false,
  reason: "mailbox_full",
  at: message.at,
};

const [hook, otherHook] = [webhook("a"), webhook("b")];
const announced = announcement(hook);

const [key, otherKey] = [apiKey("a"), apiKey("b")];
const createKeys = async (...apiKeys: readonly ApiKey[]) => {
  for (const each of apiKeys) valueOf(await store().apiKeys.create(each));
  metered();
};
const wantedTurns = { now: NOW, until: NOW + 1, limit: 64 };

/** The turn of a webhook to which something was announced, as the store has begun it. */
const begunTurn = async () => {
  valueOf(await store().outbox.announce([announced]));
  const [turn] = valueOf(await store().outbox.begin(wantedTurns));
  return turn ?? expect.unreachable("a turn is due");
};

/** The ids of two events that the same item of `shop` counts. */
const countedTogether = (): readonly [string, string] => {
  const itemOf = (id: string) => Key.tallyOf(ACCOUNT, shop.id, valueOf(parseEventId(id))).sk;
  const second = Array.from({ length: 100 }, (_, n) => `event-${n}`).find((id) => itemOf(id) === itemOf("1"));
  return ["1", second ?? expect.unreachable("there are few items")];
};

/** Each request with the units it reads or the number of items it writes, as in `docs/dynamodb.md`. */
const costs = () =>
  metered().map(
    ({ operation, units, written }) => `${operation} ${written.length > 0 ? written.length : units}`,
  );

const replace = async (...ids: string[]) => {
  const { clock } = testPorts(NOW);
  const call = replaceRecipients({ aliases: store().aliases, clock });
  expect(await call({ account: ACCOUNT, aliasId: "shop", recipientIds: ids })).toHaveProperty("value");
};

describe("replacing recipients", () => {
  test("takes two requests, and writes only the alias, the recipients attached or detached, and their items for it", async () => {
    await replace("c", "b");
    const [load, save, ...more] = metered();
    // The alias, its four tally items, and two recipients.
    expect(load).toMatchObject({ operation: "BatchGetItem", units: 7, written: [] });
    expect(save?.operation).toBe("TransactWriteItems");
    expect(save?.written.toSorted()).toEqual([
      "alias#shop",
      "attachment#1#a#shop",
      "attachment#1#c#shop",
      "recipient#a",
      "recipient#c",
    ]);
    expect(more).toEqual([]);
  });

  test("in another order writes only the alias", async () => {
    await replace("b", "a");
    expect(metered().map(({ written }) => written)).toEqual([[], ["alias#shop"]]);
  });

  test("with the same list takes one request, and writes nothing", async () => {
    await replace("a", "b", "a");
    expect(costs()).toEqual(["BatchGetItem 7"]);
  });
});

describe("the cost of", () => {
  const event = (id: string, at = NOW) => ({ id: valueOf(parseEventId(id)), outcome: "sent", at }) as const;
  const page = { limit: 50, after: null };
  const changed = { ...a, nonce: "other", version: 2 };
  const calls: Record<string, readonly [run: () => Promise<unknown>, ...costs: string[]]> = {
    "finding an alias": [() => store().aliases.findWithRecipients(ACCOUNT, shop.id, []), "BatchGetItem 5"],
    "finding an alias by address": [
      () => store().aliases.findByEmail(shop.email),
      "BatchGetItem 1",
      "BatchGetItem 1",
    ],
    // For an item that does not exist, AWS charges 1 unit and DynamoDB Local nothing.
    "finding an address that no alias has": [
      () => store().aliases.findByEmail(alias("free", [a]).email),
      "BatchGetItem 0",
    ],
    "listing aliases": [() => store().aliases.list(ACCOUNT, page, { deleted: false }), "Query 1", "Query 1"],
    // The alias, its address, four tally items, the recipient and its item for the alias, the count, and three search items.
    "creating an alias": [
      () => store().aliases.create(alias("new", [a]), NO_LIMITS),
      "TransactWriteItems 12",
    ],
    // Likewise, and the creation.
    "creating an alias with an idempotency key": [
      () => store().aliases.create(alias("new", [a]), NO_LIMITS, creationOf("new")),
      "TransactWriteItems 13",
    ],
    "finding what was created with an idempotency key": [
      async () => {
        valueOf(await store().aliases.create(alias("new", [a]), NO_LIMITS, creationOf("new")));
        metered();
        return store().creations.find(ACCOUNT, creationOf("new").key);
      },
      // The creation, and the alias. AWS charges 2 units for each, also for one that does not exist.
      "TransactGetItems 1",
      "TransactGetItems 1",
    ],
    "finding nothing that was created with an idempotency key": [
      () => store().creations.find(ACCOUNT, creationOf("new").key),
      "TransactGetItems 1",
    ],
    "forgetting what was created with idempotency keys": [
      async () => {
        valueOf(await store().aliases.create(alias("new", [a]), NO_LIMITS, creationOf("new")));
        metered();
        return store().creations.forget(ACCOUNT, 100);
      },
      "Query 1",
      "TransactWriteItems 1",
    ],
    // The alias, its three search items, and the one of the word that it had.
    "changing one of two words of a description": [
      () => store().aliases.save(shop, { ...shop, description: "A garage", version: 2 }),
      "TransactWriteItems 5",
    ],
    "switching an alias off": [
      () => store().aliases.save(shop, { ...shop, active: false, version: 2 }),
      "TransactWriteItems 1",
    ],
    "deleting an alias": [
      () => store().aliases.save(shop, Alias.delete(shop, NOW)),
      // The alias, two recipients, and their items for it.
      "TransactWriteItems 5",
    ],
    "listing the aliases of a recipient": [
      () => store().aliases.list(ACCOUNT, page, { deleted: false, recipient: a.id }),
      "Query 1",
      "Query 1",
    ],
    "counting an event": [() => store().aliases.recordOutcome(shop, event("1")), "UpdateItem 1"],
    "counting an event by address": [
      () => store().aliases.recordOutcome({ email: shop.email }, event("1")),
      "BatchGetItem 1",
      "UpdateItem 1",
    ],
    // The alias, its address, the entry for the retired address, four tally items, two recipients, their items for the
    // alias, three search items, and the count. Before it, a query for contacts and one for messages, which find none; after it, the
    // same for those that have been added in the meantime, and one for events.
    "erasing an alias": [
      () => store().aliases.erase(shop),
      "Query 0",
      "Query 0",
      "TransactWriteItems 15",
      "Query 0",
      "Query 0",
      "Query 0",
    ],
    "logging a message": [() => store().messageLog.save(message, NO_LIMITS), "PutItem 1"],
    "logging a later revision": [
      async () => {
        valueOf(await store().messageLog.save(message, NO_LIMITS));
        metered();
        return store().messageLog.save({ ...message, revision: 2 }, NO_LIMITS);
      },
      "PutItem 1",
    ],
    // One of 98 messages, by its id: its mark, and the marks of the account, one unit for about 20.
    "logging a message that counts for the limits": [
      () => store().messageLog.save({ ...message, id: COUNTED }, DEFAULT_LIMITS),
      "PutItem 1",
      "PutItem 1",
      "Query 1",
    ],
    "logging a message that does not": [
      () => store().messageLog.save({ ...message, id: UNCOUNTED }, DEFAULT_LIMITS),
      "PutItem 1",
    ],
    "requesting to send a message again": [() => store().resends.request(resend), "PutItem 1"],
    "looking for what is to be sent again": [() => store().resends.list(resend.spool, 100), "Query 0"],
    "finishing a request to send a message again": [
      async () => {
        valueOf(await store().resends.request(resend));
        metered();
        return store().resends.finish(resend);
      },
      "TransactWriteItems 1",
    ],
    "keeping a report for another server": [() => store().handedReports.handOver(handed), "PutItem 1"],
    "looking for reports": [() => store().handedReports.list(handed.spool, 100), "Query 0"],
    "finishing a report": [
      async () => {
        valueOf(await store().handedReports.handOver(handed));
        metered();
        return store().handedReports.finish(handed);
      },
      "TransactWriteItems 1",
    ],
    // The message and the alias.
    "finding a logged message": [
      async () => {
        valueOf(await store().messageLog.save(message, NO_LIMITS));
        metered();
        return store().messageLog.find(shop, LoggedMessage.position(message));
      },
      "BatchGetItem 2",
    ],
    // The alias, and the contact, which does not exist: see above. Then its three items, and the alias.
    "meeting a new contact": [
      () => store().contacts.record(shop, [stranger], NO_LIMITS),
      "BatchGetItem 1",
      "TransactWriteItems 4",
    ],
    "meeting a known contact": [
      async () => {
        valueOf(await store().contacts.record(shop, [stranger], NO_LIMITS));
        metered();
        return store().contacts.record(shop, [stranger], NO_LIMITS);
      },
      "BatchGetItem 2",
    ],
    // Likewise, and the address and the domain that could be blocked, which do not exist: see above.
    "meeting the author of a message, who is a known contact": [
      async () => {
        const meeting = { author: stranger.email, correspondents: [stranger] };
        valueOf(await store().contacts.meet(shop, meeting, NO_LIMITS));
        metered();
        return store().contacts.meet(shop, meeting, NO_LIMITS);
      },
      "BatchGetItem 2",
    ],
    "finding a contact by its address": [
      async () => {
        valueOf(await store().contacts.record(shop, [stranger], NO_LIMITS));
        metered();
        return store().contacts.findByEmails(shop, [stranger.email]);
      },
      "BatchGetItem 2",
    ],
    // Its time, and the alias.
    "meeting a known contact after a day": [
      async () => {
        valueOf(await store().contacts.record(shop, [stranger], NO_LIMITS));
        metered();
        return store().contacts.record(shop, [{ ...stranger, at: stranger.at + 86_400_000 }], NO_LIMITS);
      },
      "BatchGetItem 2",
      "TransactWriteItems 2",
    ],
    // Its settings, and the alias.
    "blocking a contact": [
      async () => {
        const [contact] = valueOf(await store().contacts.record(shop, [stranger], NO_LIMITS));
        if (!contact) throw new Error("the contact was not stored");
        metered();
        return store().contacts.save(contact, { ...contact, blocking: "reject", version: 2 });
      },
      "TransactWriteItems 2",
    ],
    // The item that leads to it, which does not exist: see above.
    "blocking a sender": [
      () => store().blockedSenders.block(spammer, { blockedSenders: 0 }),
      "BatchGetItem 0",
      "TransactWriteItems 2",
    ],
    // With a limit, the existing ones are counted: none.
    "blocking a sender where there is a limit": [
      () => store().blockedSenders.block(spammer, { blockedSenders: 1_000 }),
      "BatchGetItem 0",
      "Query 0",
      "TransactWriteItems 2",
    ],
    "blocking a sender that is blocked": [
      async () => {
        valueOf(await store().blockedSenders.block(spammer, NO_LIMITS));
        metered();
        return store().blockedSenders.block(spammer, { blockedSenders: 1_000 });
      },
      "BatchGetItem 1",
      "BatchGetItem 1",
    ],
    "unblocking a sender": [
      async () => {
        valueOf(await store().blockedSenders.block(spammer, NO_LIMITS));
        metered();
        return store().blockedSenders.unblock(ACCOUNT, spammer.id);
      },
      "BatchGetItem 1",
      "TransactWriteItems 2",
    ],
    "creating a webhook": [
      () => store().webhooks.create(hook),
      // The item, which does not exist: see above.
      "BatchGetItem 0",
      "TransactWriteItems 1",
    ],
    "saving one of two webhooks": [
      async () => {
        for (const each of [hook, otherHook]) valueOf(await store().webhooks.create(each));
        metered();
        return store().webhooks.save(hook, { ...hook, off: "owner", version: 2 });
      },
      "BatchGetItem 1",
      "TransactWriteItems 1",
    ],
    "removing a webhook": [
      async () => {
        valueOf(await store().webhooks.create(hook));
        metered();
        return store().webhooks.remove(ACCOUNT, hook.id);
      },
      "BatchGetItem 1",
      "TransactWriteItems 1",
      "DeleteItem 1",
    ],
    "listing two webhooks": [
      async () => {
        for (const each of [hook, otherHook]) valueOf(await store().webhooks.create(each));
        metered();
        return store().webhooks.list(ACCOUNT);
      },
      "BatchGetItem 1",
    ],
    "finding out that an account has no webhooks": [() => store().webhooks.list(ACCOUNT), "BatchGetItem 0"],
    "creating the first API key of an account": [
      // What it lists, which does not exist: see above. Then that, and what leads to it.
      () => store().apiKeys.create(key),
      "BatchGetItem 0",
      "TransactWriteItems 2",
    ],
    "removing one of two API keys": [
      async () => {
        await createKeys(key, otherKey);
        return store().apiKeys.remove(ACCOUNT, key.id);
      },
      "BatchGetItem 1",
      "TransactWriteItems 2",
    ],
    "removing an API key that the account does not have": [
      async () => {
        await createKeys(otherKey);
        return store().apiKeys.remove(ACCOUNT, key.id);
      },
      "BatchGetItem 1",
    ],
    "listing two API keys": [
      async () => {
        await createKeys(key, otherKey);
        return store().apiKeys.list(ACCOUNT);
      },
      "BatchGetItem 1",
    ],
    "listing as many API keys as an account can have": [
      async () => {
        await createKeys(...[..."abcdefghijklmnopqrst"].map((character) => apiKey(character)));
        return store().apiKeys.list(ACCOUNT);
      },
      "BatchGetItem 2",
    ],
    "finding an API key by its hash": [
      async () => {
        await createKeys(key, otherKey);
        return store().apiKeys.findByHash(key.hash);
      },
      "BatchGetItem 1",
      "BatchGetItem 1",
    ],
    "finding no API key with a hash": [() => store().apiKeys.findByHash(key.hash), "BatchGetItem 0"],
    "recording that an API key was used": [
      async () => {
        await createKeys(key, otherKey);
        return store().apiKeys.recordUse(key, { at: NOW, by: "program" });
      },
      "UpdateItem 1",
    ],
    "announcing something to a webhook": [
      () => store().outbox.announce([announced]),
      "PutItem 1",
      "UpdateItem 1",
    ],
    "announcing something to two webhooks": [
      () => store().outbox.announce([announced, announcement(otherHook)]),
      "PutItem 1",
      "PutItem 1",
      "UpdateItem 1",
      "UpdateItem 1",
    ],
    "finding out that no webhook is due": [() => store().outbox.begin(wantedTurns), "Query 0"],
    "beginning a turn": [
      async () => {
        valueOf(await store().outbox.announce([announced]));
        metered();
        return store().outbox.begin(wantedTurns);
      },
      "Query 1",
      "UpdateItem 1",
    ],
    "listing what is announced": [
      async () => {
        valueOf(await store().outbox.announce([announced]));
        metered();
        return store().outbox.list(hook, page);
      },
      "Query 1",
    ],
    "removing two announcements": [
      () => store().outbox.remove([announced, announcement(hook, 2)]),
      "TransactWriteItems 2",
    ],
    "ending a turn": [
      async () => {
        const turn = await begunTurn();
        metered();
        return store().outbox.end(turn, { ...turn, dueAt: NOW });
      },
      "BatchGetItem 1",
      "Query 1",
      "UpdateItem 1",
    ],
    "ending a turn after which nothing is announced": [
      async () => {
        const turn = await begunTurn();
        valueOf(await store().outbox.remove([announced]));
        metered();
        return store().outbox.end(turn, { ...turn, dueAt: NOW });
      },
      "BatchGetItem 1",
      "Query 0",
      "DeleteItem 1",
    ],
    "retiring an address": [
      () => store().aliases.retireAddress(alias("free", [a]).email),
      "TransactWriteItems 2",
    ],
    "finding out whether an address is retired": [
      () => store().aliases.isRetired(shop.email),
      "BatchGetItem 1",
    ],
    "finding a recipient": [() => store().recipients.find(ACCOUNT, a.id), "BatchGetItem 1"],
    "finding recipients": [() => store().recipients.findAll(ACCOUNT, [a.id, b.id, a.id]), "BatchGetItem 2"],
    "listing recipients": [() => store().recipients.list(ACCOUNT, page), "Query 1"],
    "creating a recipient": [
      () => store().recipients.create(recipient("new"), NO_LIMITS),
      "TransactWriteItems 3",
    ],
    "saving a recipient": [() => store().recipients.save(a, changed), "TransactWriteItems 1"],
    "verifying a recipient": [
      () => store().recipients.save(unverified, { ...unverified, verifiedAt: NOW, version: 2 }),
      "TransactWriteItems 2",
    ],
    "removing a recipient": [() => store().recipients.remove(c), "TransactWriteItems 3"],
    "finding ledger entries": [
      () => store().mailLedger.find([entry("one").key, entry("two").key]),
      "BatchGetItem 2",
    ],
    "saving ledger entries": [
      () => store().mailLedger.save([{ ...entry("one"), version: 2 }, entry("new")]),
      "TransactWriteItems 2",
    ],
    // Each partition is queried once. AWS charges half a unit for an empty one, DynamoDB Local nothing.
    "listing the ledger": [() => store().mailLedger.list(page), ...LEDGER_QUERIES],
    "finding out that an account is not suspended": [
      () => store().suspensions.find(ACCOUNT),
      "BatchGetItem 0",
    ],
    "suspending an account": [() => store().suspensions.suspend(ACCOUNT, NOW), "TransactWriteItems 1"],
    "resuming an account": [() => store().suspensions.resume(ACCOUNT), "TransactWriteItems 1"],
  };

  test.for(Object.entries(calls))("%s", async ([, [run, ...expected]]) => {
    expect(await run()).toHaveProperty("value");
    expect(costs()).toEqual(expected);
  });

  test("listing 50 messages", async () => {
    for (let n = 0; n < 51; n += 1)
      valueOf(await store().messageLog.save({ ...message, at: message.at + n }, NO_LIMITS));
    metered();
    expect(valueOf(await store().messageLog.list(shop, page)).items).toHaveLength(50);
    // The alias, and 51 messages of about 350 bytes each; longer addresses take more.
    expect(costs().toSorted()).toEqual(["BatchGetItem 1", expect.stringMatching(/^Query [4-6](\.5)?$/)]);
  });

  test("a ping, once its item exists", async () => {
    valueOf(await store().ping());
    metered();
    valueOf(await store().ping());
    expect(costs().toSorted()).toEqual(["GetItem 0.5", "PutItem 1"]);
  });

  test("finding more recipients than fit into one request", async () => {
    const unknown = Array.from({ length: 150 }, (_, n) => recipient(`unknown-${n}`).id);
    const found = await store().recipients.findAll(ACCOUNT, [a.id, ...unknown, b.id]);
    expect(valueOf(found).map(({ id }) => id)).toEqual([a.id, b.id]);
    expect(metered()).toHaveLength(2);
  });

  test("counting an event, which is the same for the widest alias", async () => {
    const many = Array.from({ length: 40 }, (_, n) => recipient(`many-${n}`));
    for (const each of many) valueOf(await store().recipients.create(each, NO_LIMITS));
    const wide = alias("wide", many);
    valueOf(await store().aliases.create(wide, NO_LIMITS));
    metered();
    for (const [n, each] of [shop, wide].entries()) {
      valueOf(await store().aliases.recordOutcome(each, event(`event-${n}`)));
    }
    expect(costs()).toEqual(["UpdateItem 1", "UpdateItem 1"]);
  });

  test("counting the first event of an alias from before there were tally items", async () => {
    await withoutTallyItems(documents(), table(), shop);
    valueOf(await store().aliases.recordOutcome(shop, event("1")));
    // The last three look at the tally item and for an item of the event. For refused updates, AWS charges 1 unit and DynamoDB Local nothing.
    const counted = ["UpdateItem 0", "BatchGetItem 1", "BatchGetItem 0", "UpdateItem 1"];
    expect(costs()).toEqual([
      "UpdateItem 0",
      "BatchGetItem 0",
      "BatchGetItem 1",
      "TransactWriteItems 5",
      ...counted,
    ]);
    // Others may have items of their own for another 35 days.
    valueOf(await store().aliases.recordOutcome(shop, event("2")));
    expect(costs()).toEqual(counted);
  });

  test("counting an event older than the last one", async () => {
    const [first, second] = countedTogether();
    await store().aliases.recordOutcome(shop, event(first));
    metered();
    await store().aliases.recordOutcome(shop, event(second, NOW - 1));
    expect(costs()).toEqual(["UpdateItem 0", "BatchGetItem 1", "UpdateItem 1"]);
  });

  test("counting events until there is no room for them, by ids as long as usual", async () => {
    const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
    const of = { ...alias(uuid(0), [a]), account: valueOf(parseAccountId(uuid(1))) };
    const item = Key.tallies(of.account, of.id)[0];
    await putAll(documents(), table(), [{ ...item, schema: SCHEMA, ...NOTHING_REMEMBERED }]);
    const ids = Array.from({ length: 8 * ROOM }, (_, n) => valueOf(parseEventId(`${uuid(n)}:sent`)))
      .filter((id) => Key.same(Key.tallyOf(of.account, of.id, id), item ?? expect.unreachable()))
      .slice(0, ROOM + 2);
    for (const [n, id] of ids.entries()) {
      const outcome = MAIL_OUTCOMES[n % MAIL_OUTCOMES.length] ?? "sent";
      valueOf(await store().aliases.recordOutcome(of, { id, outcome, at: NOW }));
    }
    expect(costs()).toEqual([
      ...ids.slice(0, ROOM).map(() => "UpdateItem 1"),
      "UpdateItem 0",
      "BatchGetItem 1",
      "TransactWriteItems 2",
      // It is known to be full.
      "TransactWriteItems 2",
    ]);
  });

  test("listing retired addresses", async () => {
    valueOf(await store().aliases.retireAddress(alias("free", [a]).email));
    metered();
    expect(valueOf(await store().aliases.listRetiredAddresses(page)).items).toHaveLength(1);
    expect(costs()).toEqual(["Query 1"]);
  });

  test("erasing an alias with events", async () => {
    const { account, id } = shop;
    const items = Array.from({ length: 130 }, (_, n) => ({
      ...Key.event(account, id, event(`event-${n}`).id),
      schema: SCHEMA,
      expires: Math.ceil(NOW / 1000) + 60 * 60,
    }));
    await putAll(documents(), table(), items);
    expect(await store().aliases.erase(shop)).toHaveProperty("value");
    const found = costs();
    expect(found.slice(0, 5)).toEqual(["Query 0", "Query 0", "TransactWriteItems 15", "Query 0", "Query 0"]);
    // Here, 100 events of about 80 bytes each; longer ids take more.
    expect(found.slice(5)).toEqual(["Query 2", "TransactWriteItems 100", "Query 1", "TransactWriteItems 30"]);
  });
});
