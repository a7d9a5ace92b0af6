import {
  type AccountId,
  LoggedMessage,
  NO_LIMITS,
  ok,
  type PortResult,
  parseEventId,
  type Store,
} from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { type Check, check, checkOf } from "../check.ts";
import { expectEqual, expectMatch } from "../expect.ts";
import type { Part } from "../parts.ts";
import {
  announceNew,
  beginTurns,
  blockNew,
  changed,
  changedContact,
  changedEntry,
  changedRecipient,
  changedWebhook,
  creationOf,
  handOver,
  logNew,
  NO_TURNS,
  NOW,
  newAccount,
  newAddress,
  newAlias,
  newAnnouncement,
  newApiKey,
  newBlockedSender,
  newContact,
  newCorrespondent,
  newEntry,
  newHandedReport,
  newMeeting,
  newMessage,
  newRecipient,
  newResend,
  newSpoolId,
  newWebhook,
  newWebhookKey,
  recordNew,
  requestResend,
  saveEntry,
  storeAlias,
  storeApiKey,
  storeRecipient,
  storeWebhook,
} from "../samples.ts";

/** Longer than the deadline of any store, in milliseconds. */
const TIMEOUT_MS = 60_000;

type Call = (timeLeft?: number) => PortResult<unknown, { readonly code: string }>;

/** One call of each port: a missing port does not compile. */
type Calls<Ports> = { readonly [Name in keyof Ports]: Call };

/** The ports whose callers do not say how long they wait. */
const UNTIMED: readonly string[] = [
  "aliases.retireAddress",
  "aliases.listRetiredAddresses",
  "contacts.listOfAccount",
  "mailLedger.list",
  "accounts",
  "ping",
];

const PAGE = { limit: 10, after: null };

const named = (prefix: string, calls: Record<string, Call>) =>
  Object.entries(calls).map(([name, call]) => [`${prefix}${name}`, call] as const);

type NamedCalls = ReturnType<typeof named>;

/** Calls of the ports of each part. */
const CALLS_OF_PARTS: Readonly<Record<Part, (store: Store, account: AccountId) => Promise<NamedCalls>>> = {
  contacts: async (store, account) => {
    const alias = await storeAlias(store, account, [await storeRecipient(store, account)]);
    const contact = await recordNew(store, alias);
    const contacts: Calls<Store["contacts"]> = {
      record: (timeLeft) => store.contacts.record(alias, [newCorrespondent()], NO_LIMITS, timeLeft),
      meet: (timeLeft) => store.contacts.meet(alias, newMeeting(), NO_LIMITS, timeLeft),
      find: (timeLeft) => store.contacts.find(contact.id, timeLeft),
      findByEmails: (timeLeft) => store.contacts.findByEmails(alias, [contact.email], timeLeft),
      list: (timeLeft) => store.contacts.list(alias, PAGE, timeLeft),
      listOfAccount: () => store.contacts.listOfAccount(account, PAGE),
      save: (timeLeft) =>
        store.contacts.save(contact, changedContact(contact, { blocking: "reject" }), timeLeft),
      create: (timeLeft) => store.contacts.create(newContact(alias), timeLeft),
    };
    return named("contacts.", contacts);
  },
  blockedSenders: async (store, account) => {
    const blocked = await blockNew(store, account);
    const blockedSenders: Calls<Store["blockedSenders"]> = {
      block: (timeLeft) => store.blockedSenders.block(newBlockedSender(account), NO_LIMITS, timeLeft),
      unblock: (timeLeft) => store.blockedSenders.unblock(account, blocked.id, timeLeft),
      list: (timeLeft) => store.blockedSenders.list(account, PAGE, timeLeft),
    };
    return named("blockedSenders.", blockedSenders);
  },
  messages: async (store, account) => {
    const alias = await storeAlias(store, account, [await storeRecipient(store, account)]);
    const message = await logNew(store, alias);
    const resend = await requestResend(store, newResend(alias));
    const messageLog: Calls<Store["messageLog"]> = {
      save: (timeLeft) => store.messageLog.save(newMessage(alias), NO_LIMITS, timeLeft),
      find: (timeLeft) => store.messageLog.find(alias, LoggedMessage.position(message), timeLeft),
      list: (timeLeft) => store.messageLog.list(alias, PAGE, timeLeft),
    };
    const resends: Calls<Store["resends"]> = {
      request: (timeLeft) => store.resends.request(newResend(alias), timeLeft),
      list: (timeLeft) => store.resends.list(newSpoolId(), 10, timeLeft),
      finish: (timeLeft) => store.resends.finish(resend, timeLeft),
    };
    return [...named("messageLog.", messageLog), ...named("resends.", resends)];
  },
  handedReports: async (store) => {
    const report = await handOver(store, newHandedReport());
    const handedReports: Calls<Store["handedReports"]> = {
      handOver: (timeLeft) => store.handedReports.handOver(newHandedReport(), timeLeft),
      list: (timeLeft) => store.handedReports.list(newHandedReport().spool, 10, timeLeft),
      finish: (timeLeft) => store.handedReports.finish(report, timeLeft),
    };
    return named("handedReports.", handedReports);
  },
  webhooks: async (store, account) => {
    const webhook = await storeWebhook(store, account);
    const announcement = await announceNew(store, newWebhookKey());
    const turn = { ...newWebhookKey(), ...NO_TURNS, until: NOW };
    const webhooks: Calls<Store["webhooks"]> = {
      create: (timeLeft) => store.webhooks.create(newWebhook(account), undefined, timeLeft),
      list: (timeLeft) => store.webhooks.list(account, timeLeft),
      save: (timeLeft) => store.webhooks.save(webhook, changedWebhook(webhook, { off: "owner" }), timeLeft),
      remove: (timeLeft) => store.webhooks.remove(account, newWebhook(account).id, timeLeft),
    };
    const outbox: Calls<Store["outbox"]> = {
      announce: (timeLeft) => store.outbox.announce([newAnnouncement(newWebhookKey())], timeLeft),
      list: (timeLeft) => store.outbox.list(newWebhookKey(), PAGE, timeLeft),
      remove: (timeLeft) => store.outbox.remove([announcement], timeLeft),
      begin: (timeLeft) => store.outbox.begin({ now: NOW, until: NOW + 1, limit: 1 }, timeLeft),
      end: (timeLeft) => store.outbox.end(turn, { ...NO_TURNS, dueAt: NOW }, timeLeft),
    };
    return [...named("webhooks.", webhooks), ...named("outbox.", outbox)];
  },
  apiKeys: async (store, account) => {
    const [used, removed] = [await storeApiKey(store, account), await storeApiKey(store, account)];
    const created = newApiKey(account);
    const apiKeys: Calls<Store["apiKeys"]> = {
      create: (timeLeft) => store.apiKeys.create(created, timeLeft),
      list: (timeLeft) => store.apiKeys.list(account, timeLeft),
      findByHash: (timeLeft) => store.apiKeys.findByHash(used.hash, timeLeft),
      recordUse: (timeLeft) => store.apiKeys.recordUse(used, { at: NOW, by: "program" }, timeLeft),
      remove: (timeLeft) => store.apiKeys.remove(account, removed.id, timeLeft),
    };
    return named("apiKeys.", apiKeys);
  },
  suspensions: async (store, account) => {
    const suspensions: Calls<Store["suspensions"]> = {
      find: (timeLeft) => store.suspensions.find(account, timeLeft),
      suspend: (timeLeft) => store.suspensions.suspend(account, NOW, timeLeft),
      resume: (timeLeft) => store.suspensions.resume(account, timeLeft),
    };
    return named("suspensions.", suspensions);
  },
  accounts: async (store) => [["accounts", () => store.accounts(PAGE)]],
};

/** A call of every port that the store has, by the port's name. On an open store all of them succeed once, in any order. */
const callsOf = async (store: Store, has: ReadonlySet<Part>): Promise<ReadonlyMap<string, Call>> => {
  const account = newAccount();
  const recipient = await storeRecipient(store, account);
  const [saved, removed] = [await storeRecipient(store, account), await storeRecipient(store, account)];
  const alias = await storeAlias(store, account, [recipient]);
  const erased = await storeAlias(store, account, [recipient]);
  const [created, added] = [newAlias(account, [recipient]), newRecipient(account)];
  const entry = await saveEntry(store, newEntry());
  const event = { id: valueOf(parseEventId("event")), outcome: "sent", at: NOW } as const;
  const aliases: Calls<Store["aliases"]> = {
    findWithRecipients: (timeLeft) =>
      store.aliases.findWithRecipients(account, alias.id, [recipient.id], timeLeft),
    findByEmail: (timeLeft) => store.aliases.findByEmail(alias.email, timeLeft),
    list: (timeLeft) => store.aliases.list(account, PAGE, { deleted: false }, timeLeft),
    create: (timeLeft) => store.aliases.create(created, NO_LIMITS, undefined, timeLeft),
    save: (timeLeft) => store.aliases.save(alias, changed(alias, { description: "after" }), timeLeft),
    recordOutcome: (timeLeft) => store.aliases.recordOutcome(alias, event, timeLeft),
    erase: (timeLeft) => store.aliases.erase(erased, timeLeft),
    retireAddress: () => store.aliases.retireAddress(newAddress()),
    isRetired: (timeLeft) => store.aliases.isRetired(alias.email, timeLeft),
    listRetiredAddresses: () => store.aliases.listRetiredAddresses(PAGE),
  };
  const recipients: Calls<Store["recipients"]> = {
    find: (timeLeft) => store.recipients.find(account, recipient.id, timeLeft),
    findAll: (timeLeft) => store.recipients.findAll(account, [recipient.id], timeLeft),
    list: (timeLeft) => store.recipients.list(account, PAGE, timeLeft),
    create: (timeLeft) => store.recipients.create(added, NO_LIMITS, timeLeft),
    save: (timeLeft) => store.recipients.save(saved, changedRecipient(saved, { nonce: "after" }), timeLeft),
    remove: (timeLeft) => store.recipients.remove(removed, timeLeft),
  };
  const mailLedger: Calls<Store["mailLedger"]> = {
    find: (timeLeft) => store.mailLedger.find([entry.key], timeLeft),
    save: (timeLeft) => store.mailLedger.save([changedEntry(entry, { suppressedAt: NOW })], timeLeft),
    list: () => store.mailLedger.list(PAGE),
  };
  const creation = creationOf(alias);
  const creations: Calls<Store["creations"]> = {
    find: (timeLeft) => store.creations.find(account, creation.key, timeLeft),
    forget: (timeLeft) => store.creations.forget(account, 1, timeLeft),
  };
  const calls = [
    ...named("aliases.", aliases),
    ...named("recipients.", recipients),
    ...named("mailLedger.", mailLedger),
    ...named("creations.", creations),
    ...named("", { ping: () => store.ping() }),
  ];
  for (const part of has) calls.push(...(await CALLS_OF_PARTS[part](store, account)));
  return new Map(calls);
};

/** Throws unless the result is ok or `unavailable`, and arrives in time. */
const expectOkOrUnavailable = async (name: string, pending: ReturnType<Call>): Promise<void> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const message = `${name} has not settled after ${TIMEOUT_MS / 1000} s`;
    timer = setTimeout(() => reject(new Error(message)), TIMEOUT_MS);
  });
  try {
    const result = await Promise.race([pending, timeout]);
    if (result.isErr()) expectEqual({ [name]: result.error.code }, { [name]: "unavailable" });
  } finally {
    clearTimeout(timer);
  }
};

export const failureChecks: readonly Check[] = [
  check("ping succeeds while the store is open", async (store) => {
    valueOf(await store.ping());
  }),

  checkOf("accounts")("a ping stores nothing that another call returns", async (store) => {
    const [account, first] = [newAccount(), { limit: 100, after: null }];
    await storeRecipient(store, account);
    const everything = async () => ({
      accounts: valueOf(await store.accounts(first)),
      recipients: valueOf(await store.recipients.list(account, first)),
      retired: valueOf(await store.aliases.listRetiredAddresses(first)),
      ledger: valueOf(await store.mailLedger.list(first)),
    });
    const before = await everything();
    await Promise.all(
      [store.ping(), store.ping(), store.ping()].map(async (pinged) => valueOf(await pinged)),
    );
    expectEqual(await everything(), before);
  }),

  check("a call without any time left is unavailable and changes nothing", async (store, _, has) => {
    const timed = [...(await callsOf(store, has))].filter(([name]) => !UNTIMED.includes(name));
    const suspended = newAccount();
    if (has.has("suspensions")) valueOf(await store.suspensions.suspend(suspended, NOW));
    const apiKey = has.has("apiKeys") ? await storeApiKey(store, newAccount()) : null;
    for (const [name, call] of timed) {
      const code = (await call(0)).match(
        () => "ok",
        (error) => error.code,
      );
      expectEqual({ [name]: code }, { [name]: "unavailable" });
    }
    if (has.has("suspensions")) {
      expectMatch(await store.suspensions.resume(suspended, 0), { error: { code: "unavailable" } });
      expectEqual(valueOf(await store.suspensions.find(suspended)), NOW);
    }
    if (apiKey !== null) {
      const { account, id } = apiKey;
      for (const late of [
        await store.apiKeys.recordUse(apiKey, { at: NOW, by: "program" }, 0),
        await store.apiKeys.remove(account, id, 0),
      ]) {
        expectMatch(late, { error: { code: "unavailable" } });
      }
      expectEqual(valueOf(await store.apiKeys.list(account)), [apiKey]);
    }
    if (has.has("webhooks")) {
      // Nothing else was announced, and no turn was begun.
      expectEqual((await beginTurns(store, NOW)).length, 1);
    }
    // What was not done can still be done, with enough time.
    for (const [name, call] of timed) {
      const result = await call(TIMEOUT_MS);
      expectMatch({ [name]: result.isErr() ? result.error : "ok" }, { [name]: "ok" });
      if (name === "aliases.recordOutcome") expectEqual(result, ok("recorded"));
      if (name === "suspensions.find") expectEqual(result, ok(null));
    }
  }),

  check("calls with little time left resolve to ok or unavailable", async (store, _, has) => {
    for (const timeLeft of [1, 5]) {
      for (const [name, call] of await callsOf(store, has)) await expectOkOrUnavailable(name, call(timeLeft));
    }
  }),

  check("once the store is closed, every port resolves to ok or unavailable", async (store, close, has) => {
    const calls = await callsOf(store, has);
    await close();
    for (const [name, call] of calls) await expectOkOrUnavailable(name, call());
  }),

  check(
    "calls in flight while the store is closed resolve to ok or unavailable",
    async (store, close, has) => {
      const pending = [...(await callsOf(store, has))].map(([name, call]) => ({ name, result: call() }));
      const closing = close();
      await Promise.all(pending.map(({ name, result }) => expectOkOrUnavailable(name, result)));
      await closing;
    },
  ),
];
