import { memoryStore } from "@postern/adapter-memory";
import {
  type Cause,
  err,
  LoggedMessage,
  NO_LIMITS,
  type Postern,
  postern,
  type Store,
  type Unavailable,
  type WebhookSending,
} from "@postern/core";
import { failureOf, testBody, testMessage, testPorts, valueOf } from "@postern/core/testing";
import { describe, expect, test, vi } from "vitest";

// More than other tests of this package: this takes seconds.
vi.setConfig({ testTimeout: 300_000 });

const account = "account-1";

type Call = (...input: never[]) => unknown;

/** The store, but a call fails, with a cause of its own, if `fails` is true for its number, counted from 1. */
const failingStore = (store: Store, fails: (call: number) => boolean) => {
  let calls = 0;
  const failing = <Ports extends object>(ports: Ports): Ports =>
    Object.fromEntries(
      Object.entries<Call>(ports as Record<string, Call>).map(([name, call]) => [
        name,
        async (...input: never[]) => {
          calls += 1;
          const cause: Cause = { source: "test", reason: `call ${calls}, ${name}` };
          return fails(calls) ? err({ code: "unavailable", cause } as const) : call(...input);
        },
      ]),
    ) as Ports;
  const { aliases, recipients, contacts, blockedSenders, messageLog, resends, ...others } = store;
  const { webhooks, outbox, apiKeys, mailLedger, creations, suspensions, ...own } = others;
  return {
    aliases: failing(aliases),
    recipients: failing(recipients),
    contacts: failing(contacts),
    blockedSenders: failing(blockedSenders),
    messageLog: failing(messageLog),
    resends: failing(resends),
    webhooks: failing(webhooks),
    outbox: failing(outbox),
    apiKeys: failing(apiKeys),
    mailLedger: failing(mailLedger),
    creations: failing(creations),
    suspensions: failing(suspensions),
    ...failing(own),
  };
};

const keysUrl = "https://keys.example";
const webhookSending: WebhookSending = { send: async () => ({ code: "delivered" }) };

/** An account with three recipients and three aliases, one of them deleted, and every operation on it. */
const open = async (fails: (call: number) => boolean, onUnreported = (_: Unavailable) => {}) => {
  const store = memoryStore();
  const ports = testPorts();
  const serviceOf = (on: Store) =>
    postern({ store: on, aliasDomains: ["alias.example"], ...ports, webhookSending, keysUrl, onUnreported });
  const service = serviceOf(store);
  const adopt = async (email: string) => valueOf(await service.adoptRecipient({ account, email })).id;
  const [home, work] = [await adopt("home@example.org"), await adopt("work@example.org")];
  const { recipient: fresh } = valueOf(await service.addRecipient({ account, email: "new@example.org" }));
  const token = ports.outbox.at(-1)?.token ?? "";
  const newAlias = async () =>
    valueOf(await service.createAlias({ account, email: undefined, recipientIds: [home] })).id;
  const [aliasId, other, deleted] = [await newAlias(), await newAlias(), await newAlias()];
  valueOf(await service.deleteAlias({ account, aliasId: deleted }));
  const { email, account: owner } = valueOf(await service.getAlias({ account, aliasId }));
  const { id: contactId } = valueOf(
    await service.createContact({ account, aliasId, email: "known@sender.example" }),
  );
  const blocked = valueOf(await service.blockSender({ account, sender: "known.example" }));
  const url = "https://service.example/";
  const hook = { account, url, events: ["alias.created"], idempotencyKey: "other-key" } as const;
  const webhook = valueOf(await service.createWebhook(hook));
  const key = { account, name: "key", scopes: ["aliases:read"], recipientIds: [home] } as const;
  const { apiKey, secret } = valueOf(await service.createApiKey(key));
  const once = { account, recipientIds: [home], idempotencyKey: "key" };
  valueOf(await service.createAlias(once));
  const keptBody = testBody(ports.clock.now() + 120_000);
  const message = testMessage({ account: owner, id: aliasId }, { keptBody });
  valueOf(await store.messageLog.save(message, NO_LIMITS));
  ports.clock.advance(60_000);

  const failing = serviceOf(failingStore(store, fails));
  const target = { account, aliasId };
  const operations: { readonly [Name in keyof Postern]: () => ReturnType<Postern[Name]> } = {
    replaceRecipients: () => failing.replaceRecipients({ ...target, recipientIds: [work] }),
    createAlias: () => failing.createAlias(once),
    createAliasForWebsite: () =>
      failing.createAliasForWebsite({ account, program: "p", website: "shop.example", note: "" }),
    hasCreatedWith: () => failing.hasCreatedWith({ account, idempotencyKey: "key" }),
    getAlias: () => failing.getAlias(target),
    getAliasRecipients: () => failing.getAliasRecipients(target),
    listAliases: () => failing.listAliases({ account }),
    updateAlias: () => failing.updateAlias({ ...target, description: "changed" }),
    updateAliasRules: () => failing.updateAliasRules({ ...target, messagesLeft: 7 }),
    updateAliasWebsite: () => failing.updateAliasWebsite({ ...target, website: "shop.example" }),
    deleteAlias: () => failing.deleteAlias(target),
    restoreAlias: () => failing.restoreAlias({ account, aliasId: deleted }),
    resolveAlias: () => failing.resolveAlias({ address: email.replace("@", "+tag@") }),
    recordMailOutcome: () =>
      failing.recordMailOutcome({
        alias: { account, id: other },
        eventId: "e",
        outcome: "sent",
        at: ports.clock.now(),
      }),
    eraseAlias: () => failing.eraseAlias(target),
    addRecipient: () => failing.addRecipient({ account, email: "another@example.org" }),
    adoptRecipient: () => failing.adoptRecipient({ account, email: "another@example.org" }),
    verifyRecipient: () => failing.verifyRecipient({ token }),
    resendVerification: () => failing.resendVerification({ account, recipientId: fresh.id }),
    suppressMailbox: () => failing.suppressMailbox({ token }),
    releaseMailbox: () => failing.releaseMailbox({ email: "new@example.org" }),
    getRecipient: () => failing.getRecipient({ account, recipientId: home }),
    listRecipients: () => failing.listRecipients({ account }),
    updateRecipient: () => failing.updateRecipient({ account, recipientId: home, active: false }),
    deleteRecipient: () => failing.deleteRecipient({ account, recipientId: home }),
    reassignRecipient: () => failing.reassignRecipient({ account, recipientId: home, to: work }),
    createContact: () => failing.createContact({ ...target, email: "another@sender.example" }),
    getContact: () => failing.getContact({ ...target, contactId }),
    listContacts: () => failing.listContacts(target),
    updateContact: () => failing.updateContact({ ...target, contactId, blocking: "reject" }),
    blockSender: () => failing.blockSender({ account, sender: "spam.example" }),
    unblockSender: () => failing.unblockSender({ account, blockedSenderId: blocked.id }),
    listBlockedSenders: () => failing.listBlockedSenders({ account }),
    listMessages: () => failing.listMessages(target),
    getMessage: () => failing.getMessage({ ...target, position: LoggedMessage.position(message) }),
    resendMessage: () => failing.resendMessage({ ...target, position: LoggedMessage.position(message) }),
    createWebhook: () => failing.createWebhook(hook),
    getWebhook: () => failing.getWebhook({ account, webhookId: webhook.id }),
    listWebhooks: () => failing.listWebhooks({ account }),
    updateWebhook: () => failing.updateWebhook({ account, webhookId: webhook.id, active: false }),
    deleteWebhook: () => failing.deleteWebhook({ account, webhookId: webhook.id }),
    testWebhook: () => failing.testWebhook({ account, webhookId: webhook.id }),
    createApiKey: () => failing.createApiKey(key),
    listApiKeys: () => failing.listApiKeys({ account }),
    deleteApiKey: () => failing.deleteApiKey({ account, apiKeyId: apiKey.id }),
    authenticateApiKey: () => failing.authenticateApiKey({ secret, client: "program" }),
    eraseAccount: () => failing.eraseAccount({ account }),
    getService: () => failing.getService({ account }),
    suspendAccount: () => failing.suspendAccount({ account }),
    resumeAccount: () => failing.resumeAccount({ account }),
    ping: () => failing.ping(),
  };
  return operations;
};

const names = Object.keys(await open(() => false)) as (keyof Postern)[];

describe.each([
  ["one call fails", (at: number) => (call: number) => call === at],
  ["one call and all later ones fail", (at: number) => (call: number) => call >= at],
] as const)("when %s", (_, from) => {
  test.each(names)("the failure of %s has the cause that the store gave", async (name) => {
    const unavailable: unknown[] = [];
    for (let [at, reached] = [1, true]; reached; at += 1) {
      reached = false;
      const operations = await open((call) => {
        reached ||= call === at;
        return from(at)(call);
      });
      const result = await operations[name]();
      if (result.isErr() && result.error.code === "unavailable") unavailable.push(result.error);
    }
    expect(unavailable).not.toEqual([]);
    for (const failure of unavailable)
      expect(failure).toEqual({ code: "unavailable", cause: { source: "test", reason: expect.anything() } });
  });
});

test.each(names)("every failure of %s is reported: by the result, or else to onUnreported", async (name) => {
  for (let [at, failed] = [1, true]; failed; at += 1) {
    failed = false;
    const reported: unknown[] = [];
    const operations = await open(
      (call) => {
        failed ||= call === at;
        return call === at;
      },
      (failure) => reported.push(failure),
    );
    const result = await operations[name]();
    if (result.isErr() && result.error.code === "unavailable") reported.push(result.error);
    const cause = { source: "test", reason: expect.stringMatching(`^call ${at}, `) };
    expect(reported).toEqual(failed ? [{ code: "unavailable", cause }] : []);
  }
});

test("a charge that cannot be taken back is reported to onUnreported, and so is a reassignment that stops", async () => {
  const store = memoryStore();
  const ports = testPorts();
  const reported: unknown[] = [];
  const failure = err({ code: "unavailable", cause: { source: "test", reason: "save" } } as const);
  let saves = 0;
  /** Fails on the second call of `save`. */
  const second = <Input extends unknown[], Result>(save: (...input: Input) => Promise<Result>) => {
    let calls = 0;
    return async (...input: Input) => {
      calls += 1;
      saves += 1;
      return calls === 2 ? failure : save(...input);
    };
  };
  const service = postern({
    ...ports,
    store: {
      ...store,
      mailLedger: { ...store.mailLedger, save: second(store.mailLedger.save) },
      aliases: { ...store.aliases, save: second(store.aliases.save) },
    },
    aliasDomains: ["alias.example"],
    verificationMail: { send: async () => err({ code: "not_sent" }) },
    onUnreported: (each) => reported.push(each),
  });
  const added = valueOf(await service.addRecipient({ account, email: "new@example.org" }));
  expect(added.verification).toBe("not_sent");
  expect(reported).toEqual([failure.error]);

  const adopt = async (email: string) => valueOf(await service.adoptRecipient({ account, email })).id;
  const [home, work] = [await adopt("home@example.org"), await adopt("work@example.org")];
  for (let n = 0; n < 3; n += 1) valueOf(await service.createAlias({ account, recipientIds: [home] }));
  const { reassigned, next } = valueOf(
    await service.reassignRecipient({ account, recipientId: home, to: work }),
  );
  expect(reassigned).toEqual([next]);
  expect(reported).toEqual([failure.error, failure.error]);
  expect(saves).toBe(4);
});

test("addRecipient is unavailable, with a cause, if the message is refused and the recipient cannot be removed", async () => {
  const store = memoryStore();
  const ports = testPorts();
  const remove = async () => err({ code: "conflict" } as const);
  const service = postern({
    store: { ...store, recipients: { ...store.recipients, remove } },
    aliasDomains: ["alias.example"],
    ...ports,
  });
  valueOf(await service.addRecipient({ account, email: "home@example.org" }));
  expect(
    failureOf(await service.addRecipient({ account: "account-2", email: "home@example.org" })),
  ).toMatchObject({ code: "unavailable", cause: { source: "postern" } });
});
