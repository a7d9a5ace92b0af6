import { memoryStore } from "@postern/adapter-memory";
import {
  err,
  LoggedMessage,
  MAIL_OUTCOMES,
  NO_LIMITS,
  ok,
  type Ports,
  type Postern,
  postern,
  type Result,
  type Store,
  type WebhookSending,
} from "@postern/core";
import { replaceRecipients } from "@postern/core/operations";
import type { Aliases } from "@postern/core/store";
import { failureOf, type TestPorts, testBody, testMessage, testPorts, valueOf } from "@postern/core/testing";
import { beforeEach, describe, expect, test, vi } from "vitest";

const account = "account-1";
const aliasDomains = ["alias.example"];
const conflict: Aliases["save"] = async () => err({ code: "conflict" });

/** A call of a store, and the time left according to its caller. */
type Call = { readonly port: string; readonly timeLeft: unknown; readonly leftThen: number };

let ports: TestPorts;
/** How long each call of the store takes, in milliseconds. */
let duration: number;
let calls: Call[];
let store: Store;
let begun: number;

/** The number of arguments of each port, without the time left. */
const ARGUMENTS: Readonly<Record<string, number>> = {
  findWithRecipients: 3,
  findByEmail: 1,
  "aliases.list": 3,
  "aliases.create": 3,
  "aliases.save": 2,
  recordOutcome: 2,
  erase: 1,
  "recipients.find": 2,
  findAll: 2,
  "recipients.list": 2,
  "recipients.create": 2,
  "recipients.save": 2,
  remove: 1,
  "mailLedger.find": 1,
  "mailLedger.save": 1,
  "contacts.record": 3,
  "contacts.find": 1,
  findByEmails: 2,
  "contacts.list": 2,
  "contacts.save": 2,
  block: 2,
  unblock: 2,
  "blockedSenders.list": 2,
  "messageLog.find": 2,
  "messageLog.list": 2,
  "resends.request": 1,
  "webhooks.create": 2,
  "creations.find": 2,
  "webhooks.list": 1,
  "webhooks.save": 2,
  "webhooks.remove": 2,
  "apiKeys.create": 1,
  "apiKeys.list": 1,
  findByHash: 1,
  recordUse: 2,
  "apiKeys.remove": 2,
  announce: 1,
  "suspensions.find": 1,
  suspend: 2,
  resume: 1,
};

/** The same ports; each call takes some time, and is recorded. */
const slow = <Named extends object>(name: string, real: Named): Named =>
  new Proxy(real, {
    get: (target, key) => {
      const port: unknown = Reflect.get(target, key);
      if (typeof port !== "function") return port;
      const full = `${name}.${String(key)}`;
      const count = ARGUMENTS[full] ?? ARGUMENTS[String(key)] ?? Number.NaN;
      return (...args: readonly unknown[]) => {
        calls.push({ port: full, timeLeft: args[count], leftThen: begun + 2_000 - ports.clock.now() });
        const result: unknown = port(...args);
        ports.clock.advance(duration);
        return result;
      };
    },
  });

const serviceOn = (changes: Partial<Store> = {}, others: Partial<Ports> = {}): Postern => {
  const { aliases, recipients, contacts, blockedSenders, messageLog, resends, ...rest } = {
    ...store,
    ...changes,
  };
  const { webhooks, outbox, apiKeys, mailLedger, creations, suspensions, ping } = rest;
  return postern({
    store: {
      aliases: slow("aliases", aliases),
      recipients: slow("recipients", recipients),
      contacts: slow("contacts", contacts),
      blockedSenders: slow("blockedSenders", blockedSenders),
      messageLog: slow("messageLog", messageLog),
      resends: slow("resends", resends),
      webhooks: slow("webhooks", webhooks),
      outbox: slow("outbox", outbox),
      apiKeys: slow("apiKeys", apiKeys),
      mailLedger: slow("mailLedger", mailLedger),
      creations: slow("creations", creations),
      suspensions: slow("suspensions", suspensions),
      ping,
    },
    aliasDomains,
    ...ports,
    ...others,
  });
};

const keysUrl = "https://keys.example";
const webhookSending: WebhookSending = { send: async () => ({ code: "delivered" }) };

const start = () => {
  calls = [];
  begun = ports.clock.now();
};

/** An account with two adopted recipients, one that is not verified, and two live aliases of the first one. */
const populated = async () => {
  const service = postern({ store, aliasDomains, ...ports, webhookSending, keysUrl });
  const adopt = async (name: string) =>
    valueOf(await service.adoptRecipient({ account, email: `${name}@home.example` }));
  const [a, b] = [await adopt("a"), await adopt("b")];
  const { recipient: added } = valueOf(await service.addRecipient({ account, email: "c@home.example" }));
  const create = async () => valueOf(await service.createAlias({ account, recipientIds: [a.id] }));
  const [alias, other] = [await create(), await create()];
  const contact = valueOf(
    await service.createContact({ account, aliasId: alias.id, email: "known@sender.example" }),
  );
  const message = testMessage(alias, { keptBody: testBody(ports.clock.now() + 120_000) });
  valueOf(await store.messageLog.save(message, NO_LIMITS));
  const url = "https://service.example/";
  const webhook = valueOf(await service.createWebhook({ account, url, events: ["alias.created"] }));
  const apiKey = { account, name: "key", scopes: ["aliases:create"] } as const;
  const {
    apiKey: { id: apiKeyId },
    secret,
  } = valueOf(await service.createApiKey(apiKey));
  ports.clock.advance(60_000);
  return {
    service,
    a,
    b,
    added,
    alias,
    other,
    contact,
    message,
    webhook,
    apiKeyId,
    secret,
    token: ports.outbox.at(-1)?.token ?? "",
  };
};

beforeEach(() => {
  ports = testPorts();
  duration = 10;
  store = memoryStore();
});

type Populated = Awaited<ReturnType<typeof populated>>;
type Run = (service: Postern, ids: Populated) => Promise<Result<unknown, { readonly code: string }>>;

/** One successful call of each operation, plus calls that take a path through other ports. */
const OPERATIONS: Readonly<Record<Exclude<keyof Postern, "ping">, readonly [Run, ...Run[]]>> = {
  createAlias: [
    (service, { a }) => service.createAlias({ account, recipientIds: [a.id] }),
    async (service, { service: other, a }) => {
      const command = { account, recipientIds: [a.id], idempotencyKey: "key" };
      valueOf(await other.createAlias(command));
      start();
      return service.createAlias(command);
    },
  ],
  createAliasForWebsite: [
    (service) => service.createAliasForWebsite({ account, program: "p", website: "shop.example", note: "" }),
    async (service, { service: other, a }) => {
      const command = { account, program: "p", website: "shop.example", note: "", recipientIds: [a.id] };
      valueOf(await other.createAliasForWebsite(command));
      start();
      return service.createAliasForWebsite(command);
    },
    async (service, { service: other, a }) => {
      const command = { account, program: "p", website: "shop.example", note: "", recipientIds: [a.id] };
      const { id: aliasId } = valueOf(await other.createAliasForWebsite(command));
      valueOf(await other.deleteAlias({ account, aliasId }));
      start();
      return service.createAliasForWebsite(command);
    },
  ],
  hasCreatedWith: [(service) => service.hasCreatedWith({ account, idempotencyKey: "key" })],
  getAlias: [(service, { alias }) => service.getAlias({ account, aliasId: alias.id })],
  getAliasRecipients: [(service, { alias }) => service.getAliasRecipients({ account, aliasId: alias.id })],
  listAliases: [(service) => service.listAliases({ account })],
  replaceRecipients: [
    (service, { alias, b }) =>
      service.replaceRecipients({ account, aliasId: alias.id, recipientIds: [b.id] }),
  ],
  updateAlias: [(service, { alias }) => service.updateAlias({ account, aliasId: alias.id, active: false })],
  updateAliasRules: [
    (service, { alias }) => service.updateAliasRules({ account, aliasId: alias.id, messagesLeft: 7 }),
  ],
  updateAliasWebsite: [
    (service, { alias }) =>
      service.updateAliasWebsite({ account, aliasId: alias.id, website: "shop.example" }),
  ],
  deleteAlias: [(service, { alias }) => service.deleteAlias({ account, aliasId: alias.id })],
  restoreAlias: [
    async (service, { service: other, alias, b }) => {
      valueOf(await other.deleteAlias({ account, aliasId: alias.id }));
      start();
      return service.restoreAlias({ account, aliasId: alias.id, recipientIds: [b.id] });
    },
    async (service, { service: other, alias }) => {
      valueOf(await other.deleteAlias({ account, aliasId: alias.id }));
      start();
      return service.restoreAlias({ account, aliasId: alias.id });
    },
  ],
  resolveAlias: [
    (service, { alias }) => service.resolveAlias({ address: alias.email.replace("@", "+tag@") }),
  ],
  recordMailOutcome: [
    (service, { alias: { email } }) =>
      service.recordMailOutcome({ alias: { email }, eventId: "e", outcome: MAIL_OUTCOMES[0], at: 1 }),
  ],
  eraseAlias: [(service, { alias }) => service.eraseAlias({ account, aliasId: alias.id })],
  addRecipient: [(service) => service.addRecipient({ account, email: "d@home.example" })],
  adoptRecipient: [(service) => service.adoptRecipient({ account, email: "d@home.example" })],
  verifyRecipient: [(service, { token }) => service.verifyRecipient({ token })],
  resendVerification: [
    (service, { added }) => service.resendVerification({ account, recipientId: added.id }),
  ],
  suppressMailbox: [(service, { token }) => service.suppressMailbox({ token })],
  releaseMailbox: [(service) => service.releaseMailbox({ email: "c@home.example" })],
  getRecipient: [(service, { a }) => service.getRecipient({ account, recipientId: a.id })],
  listRecipients: [(service) => service.listRecipients({ account })],
  updateRecipient: [
    (service, { b }) => service.updateRecipient({ account, recipientId: b.id, active: false }),
    async (service, { a }) => {
      const refused = await service.updateRecipient({ account, recipientId: a.id, active: false });
      expect(failureOf(refused).code).toBe("recipient_attached");
      return ok();
    },
  ],
  deleteRecipient: [
    (service, { b }) => service.deleteRecipient({ account, recipientId: b.id }),
    async (service, { a }) => {
      const refused = await service.deleteRecipient({ account, recipientId: a.id });
      expect(failureOf(refused).code).toBe("recipient_attached");
      return ok();
    },
  ],
  reassignRecipient: [
    (service, { a, b }) => service.reassignRecipient({ account, recipientId: a.id, to: b.id }),
  ],
  createContact: [
    (service, { alias }) =>
      service.createContact({ account, aliasId: alias.id, email: "new@sender.example" }),
  ],
  getContact: [
    (service, { alias, contact }) =>
      service.getContact({ account, aliasId: alias.id, contactId: contact.id }),
  ],
  listContacts: [
    (service, { alias }) => service.listContacts({ account, aliasId: alias.id }),
    (service, { alias, contact: { email } }) => service.listContacts({ account, aliasId: alias.id, email }),
  ],
  updateContact: [
    (service, { alias, contact }) =>
      service.updateContact({ account, aliasId: alias.id, contactId: contact.id, blocking: "reject" }),
  ],
  blockSender: [(service) => service.blockSender({ account, sender: "spam.example" })],
  unblockSender: [(service) => service.unblockSender({ account, blockedSenderId: "a".repeat(26) })],
  listBlockedSenders: [(service) => service.listBlockedSenders({ account })],
  listMessages: [(service, { alias }) => service.listMessages({ account, aliasId: alias.id })],
  getMessage: [
    (service, { alias, message }) =>
      service.getMessage({ account, aliasId: alias.id, position: LoggedMessage.position(message) }),
  ],
  resendMessage: [
    (service, { alias, message }) =>
      service.resendMessage({ account, aliasId: alias.id, position: LoggedMessage.position(message) }),
  ],
  createWebhook: [
    (service) =>
      service.createWebhook({ account, url: "https://other.example/", events: ["message.failed"] }),
    async (service, { service: other }) => {
      const url = "https://other.example/";
      const command = { account, url, events: ["message.failed"], idempotencyKey: "key" } as const;
      valueOf(await other.createWebhook(command));
      start();
      return service.createWebhook(command);
    },
  ],
  getWebhook: [(service, { webhook }) => service.getWebhook({ account, webhookId: webhook.id })],
  listWebhooks: [(service) => service.listWebhooks({ account })],
  updateWebhook: [
    (service, { webhook }) => service.updateWebhook({ account, webhookId: webhook.id, active: false }),
  ],
  deleteWebhook: [(service, { webhook }) => service.deleteWebhook({ account, webhookId: webhook.id })],
  testWebhook: [(service, { webhook }) => service.testWebhook({ account, webhookId: webhook.id })],
  createApiKey: [
    (service, { b }) =>
      service.createApiKey({ account, name: "key", scopes: ["aliases:read"], recipientIds: [b.id] }),
  ],
  listApiKeys: [(service) => service.listApiKeys({ account })],
  deleteApiKey: [(service, { apiKeyId }) => service.deleteApiKey({ account, apiKeyId })],
  authenticateApiKey: [(service, { secret }) => service.authenticateApiKey({ secret, client: "program" })],
  getService: [(service) => service.getService({ account })],
  suspendAccount: [(service) => service.suspendAccount({ account })],
  resumeAccount: [(service) => service.resumeAccount({ account })],
  eraseAccount: [(service) => service.eraseAccount({ account })],
};

/** Erasing an account has no deadline for the whole call, only for each item. */
const { eraseAccount: _, ...TIMED } = OPERATIONS;

describe("an operation", () => {
  test.for(
    Object.entries(TIMED).flatMap(([name, runs]) =>
      runs.map((run, i) => [`${name} (${i + 1})`, run] as const),
    ),
  )("tells the store at every call how much time is left: %s", async ([name, run]) => {
    const ids = await populated();
    const service = serviceOn({}, { webhookSending, keysUrl });
    // Sending a message, and what follows, has its own time, separate from the time for what comes before.
    vi.spyOn(ports.verificationMail, "send").mockImplementation(async () => {
      ports.clock.advance(5_000);
      begun = ports.clock.now();
      return ok();
    });
    start();
    expect(await run(service, ids)).toHaveProperty("value");
    expect(calls.length).toBeGreaterThan(0);
    for (const { port, timeLeft, leftThen } of calls) {
      const reserved =
        name.startsWith("reassign") && /findWithRecipients|save|webhooks|announce/.test(port) ? 492.5 : 0;
      expect({ port, timeLeft }).toEqual({ port, timeLeft: leftThen - reserved });
    }
  });

  test("checks within the same time whether the account is suspended", async () => {
    const { alias } = await populated();
    duration = 1_500;
    start();
    expect(await serviceOn().getAlias({ account, aliasId: alias.id })).toHaveProperty("value");
    expect(calls.map(({ port, timeLeft }) => [port, timeLeft])).toEqual([
      ["suspensions.find", 2_000],
      ["aliases.findWithRecipients", 500],
    ]);
  });

  test("that erases an account has a deadline for each item, not for the whole call", async () => {
    await populated();
    duration = 500;
    start();
    expect(valueOf(await serviceOn().eraseAccount({ account }))).toEqual({
      aliases: 2,
      recipients: 3,
      blockedSenders: 0,
      webhooks: 1,
      apiKeys: 1,
      done: true,
    });
    expect(ports.clock.now() - begun).toBeGreaterThan(2_000);
  });

  test("has the configured time, or 2 seconds if used on its own", async () => {
    const { alias, b } = await populated();
    start();
    await serviceOn({}, { timeoutMs: 300 }).getAlias({ account, aliasId: alias.id });
    expect(calls.map(({ timeLeft }) => timeLeft)).toEqual([300, 290]);
    start();
    const replace = replaceRecipients({ aliases: slow("aliases", store.aliases), clock: ports.clock });
    await replace({ account, aliasId: alias.id, recipientIds: [b.id] });
    expect(calls.map(({ timeLeft }) => timeLeft)).toEqual([2_000, 1_990]);
  });

  test.each([
    [300, [300, 290]],
    [5_000, [2_000, 1_990]],
  ])("ends within what it is part of, of which %i ms are left, and within its own time", async (ms, told) => {
    const { alias } = await populated();
    start();
    const end = begun + ms;
    const { parse, run } = serviceOn().getAlias;
    const command = valueOf(parse({ account, aliasId: alias.id }));
    expect(await run(command, () => end - ports.clock.now())).toHaveProperty("value");
    expect(calls.map(({ timeLeft }) => timeLeft)).toEqual(told);
  });

  test.each([0, -1, Number.NaN])("cannot be given %s milliseconds", (timeoutMs) => {
    expect(() => serviceOn({}, { timeoutMs })).toThrow(
      new TypeError("timeoutMs must be a positive number of milliseconds"),
    );
  });
});

describe("a contended alias", () => {
  const contended = { code: "unavailable", cause: { source: "postern" } };

  test("is given up at the deadline, with a cause that says so; no attempt begins after it", async () => {
    const { alias, b } = await populated();
    duration = 300;
    const service = serviceOn({ aliases: { ...store.aliases, save: conflict } });
    start();
    const replaced = await service.replaceRecipients({ account, aliasId: alias.id, recipientIds: [b.id] });
    expect(failureOf(replaced)).toEqual({
      code: "unavailable",
      cause: { source: "postern", reason: "conflicts until the deadline" },
    });
    expect(ports.clock.now() - begun).toBe(2_100);
    expect(calls.every(({ leftThen }) => leftThen > 0)).toBe(true);
    expect(await postern({ store, aliasDomains, ...ports }).getAlias({ account, aliasId: alias.id })).toEqual(
      ok(alias),
    );
  });

  test("is named as the cause even if the deadline passes during a call", async () => {
    const { alias, b } = await populated();
    // Like a store that gives up when its caller does.
    const save: Aliases["save"] = async (_, __, timeLeft = 0) => {
      if (timeLeft > 400) return conflict(alias, alias);
      ports.clock.advance(timeLeft - 1);
      return err({ code: "unavailable", cause: { source: "test", reason: "too slow" } });
    };
    const replace = (service: Postern) =>
      service.replaceRecipients({ account, aliasId: alias.id, recipientIds: [b.id] });
    duration = 500;
    expect(failureOf(await replace(serviceOn({ aliases: { ...store.aliases, save } })))).toMatchObject({
      cause: { source: "postern", reason: "conflicts until the deadline" },
    });
    // Without a conflict, or with time left, the cause is the store's.
    duration = 0;
    const cause = { source: "test", reason: "too slow" };
    const late = serviceOn({ aliases: { ...store.aliases, save } }, { timeoutMs: 300 });
    expect(failureOf(await replace(late))).toMatchObject({ cause });
    const broken = vi.fn(conflict).mockImplementation(async () => err({ code: "unavailable", cause }));
    broken.mockImplementationOnce(conflict);
    const early = serviceOn({ aliases: { ...store.aliases, save: broken } });
    expect(failureOf(await replace(early))).toMatchObject({ cause });
  });

  test("is waited for at most half of the time left, which leaves time for another attempt", async () => {
    const { alias, b } = await populated();
    const pause = vi.spyOn(ports.clock, "pause");
    duration = 400;
    const service = serviceOn({ aliases: { ...store.aliases, save: conflict } });
    await service.getAlias({ account, aliasId: alias.id });
    const replaced = await service.replaceRecipients({ account, aliasId: alias.id, recipientIds: [b.id] });
    expect(failureOf(replaced)).toMatchObject(contended);
    expect(pause.mock.calls).toEqual([
      [2, 600],
      [3, 200],
    ]);
  });

  test("is given up even if the clock is set back in the meantime", async () => {
    const { alias, b } = await populated();
    duration = 300;
    const save = vi.fn(conflict).mockImplementationOnce(async (...args) => {
      ports.clock.advance(-3_600_000);
      return conflict(...args);
    });
    const service = serviceOn({ aliases: { ...store.aliases, save } });
    const replaced = await service.replaceRecipients({ account, aliasId: alias.id, recipientIds: [b.id] });
    expect(failureOf(replaced)).toMatchObject({ cause: { reason: "conflicts until the deadline" } });
    // The call during which the clock was set back does not count.
    expect(save).toHaveBeenCalledTimes(4);
  });

  test("does not make a reassignment forget what it has done", async () => {
    const { a, b, other } = await populated();
    const save: Aliases["save"] = async (before, after, timeLeft) =>
      before.id === other.id ? store.aliases.save(before, after, timeLeft) : conflict(before, after);
    duration = 200;
    const service = serviceOn({ aliases: { ...store.aliases, save } });
    start();
    expect(await service.reassignRecipient({ account, recipientId: a.id, to: b.id })).toEqual(
      ok({ reassigned: [other.id], remaining: 1, next: other.id }),
    );
    expect(calls.at(-1)).toMatchObject({ port: "recipients.find" });
    expect(ports.clock.now() - begun).toBeLessThanOrEqual(2_000);
  });
});
