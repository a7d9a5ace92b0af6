import { memoryStore } from "@postern/adapter-memory";
import {
  Alias,
  err,
  NO_LIMITS,
  type Postern,
  postern,
  type Result,
  type Store,
  type WebhookSending,
} from "@postern/core";
import { failureOf, type TestPorts, testBody, testMessage, testPorts, valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test, vi } from "vitest";

const account = "account-1";
const other = "account-2";
const aliasDomains = ["alias.example"];
const SUSPENDED = { code: "account_suspended" };
const SECOND = 1000;
const URL = "https://service.example/webhook";
/** The position of each account's message. */
const POSITION = `0001700000000000${"m".repeat(26)}`;

let store: Store;
let ports: TestPorts;
let service: Postern;

beforeEach(() => {
  store = memoryStore();
  ports = testPorts();
  const webhookSending: WebhookSending = { send: async () => ({ code: "delivered" }) };
  service = postern({ store, aliasDomains, ...ports, webhookSending, keysUrl: "https://keys.example" });
});

/** One account with a deleted alias, a live one, and three recipients, one of them unverified. */
const populate = async (owner: string) => {
  const adopt = async (name: string) =>
    valueOf(await service.adoptRecipient({ account: owner, email: `${name}-${owner}@home.example` }));
  const [home, work] = [await adopt("home"), await adopt("work")];
  const { recipient } = valueOf(
    await service.addRecipient({ account: owner, email: `new-${owner}@home.example` }),
  );
  const create = async () =>
    valueOf(await service.createAlias({ account: owner, recipientIds: [home.id, work.id] }));
  const [live, deleted] = [await create(), await create()];
  valueOf(await service.deleteAlias({ account: owner, aliasId: deleted.id }));
  const contact = valueOf(
    await service.createContact({ account: owner, aliasId: live.id, email: "known@sender.example" }),
  );
  const blocked = valueOf(await service.blockSender({ account: owner, sender: "spam.example" }));
  const webhook = valueOf(
    await service.createWebhook({ account: owner, url: URL, events: ["alias.updated"] }),
  );
  const { apiKey } = valueOf(
    await service.createApiKey({ account: owner, name: "key", scopes: ["aliases:read"] }),
  );
  const keptBody = testBody(ports.clock.now() + 120 * SECOND);
  valueOf(await store.messageLog.save(testMessage(live, { keptBody }), NO_LIMITS));
  ports.clock.advance(60 * SECOND);
  return { aliases: [live, deleted], recipients: [home, work, recipient], contact, blocked, webhook, apiKey };
};

/** Everything in the store and the outbox. */
const everything = async () => {
  const page = { limit: 100, after: null };
  const accounts = valueOf(await store.accounts(page)).items;
  return {
    accounts: await Promise.all(
      accounts.map(async (each) => ({
        suspended: valueOf(await store.suspensions.find(each)),
        live: valueOf(await store.aliases.list(each, page, { deleted: false })),
        deleted: valueOf(await store.aliases.list(each, page, { deleted: true })),
        recipients: valueOf(await store.recipients.list(each, page)),
        blockedSenders: valueOf(await store.blockedSenders.list(each, page)),
        webhooks: await Promise.all(
          valueOf(await store.webhooks.list(each)).map(async (webhook) => ({
            webhook,
            announced: valueOf(await store.outbox.list(webhook, { limit: 100, after: null })),
          })),
        ),
        apiKeys: valueOf(await store.apiKeys.list(each)),
        contacts: await Promise.all(
          valueOf(await store.aliases.list(each, page, { deleted: false })).items.map(async (alias) =>
            valueOf(await store.contacts.list(alias, { limit: 100, after: null })),
          ),
        ),
      })),
    ),
    retired: valueOf(await store.aliases.listRetiredAddresses(page)),
    ledger: valueOf(await store.mailLedger.list(page)),
    resends: valueOf(await store.resends.list(testBody(0).spool, 100)),
    outbox: [...ports.outbox],
  };
};

type Populated = Awaited<ReturnType<typeof populate>>;
type Outcome = Promise<Result<unknown, { readonly code: string }>>;

/** What an account can do itself, with ids of its own or others. */
const OWN = {
  createAlias: (ids) => service.createAlias({ account, recipientIds: [ids.recipient] }),
  createAliasForWebsite: (ids) =>
    service.createAliasForWebsite({
      account,
      program: "p",
      website: "shop.example",
      note: "",
      recipientIds: [ids.recipient],
    }),
  hasCreatedWith: () => service.hasCreatedWith({ account, idempotencyKey: "key" }),
  getAlias: (ids) => service.getAlias({ account, aliasId: ids.alias }),
  getAliasRecipients: (ids) => service.getAliasRecipients({ account, aliasId: ids.alias }),
  listAliases: () => service.listAliases({ account }),
  replaceRecipients: (ids) =>
    service.replaceRecipients({ account, aliasId: ids.alias, recipientIds: [ids.recipient] }),
  updateAlias: (ids) => service.updateAlias({ account, aliasId: ids.alias, active: ids.active }),
  updateAliasRules: (ids) => service.updateAliasRules({ account, aliasId: ids.alias, messagesLeft: 1 }),
  updateAliasWebsite: (ids) =>
    service.updateAliasWebsite({ account, aliasId: ids.alias, website: "shop.example" }),
  deleteAlias: (ids) => service.deleteAlias({ account, aliasId: ids.alias }),
  restoreAlias: (ids) => service.restoreAlias({ account, aliasId: ids.alias }),
  createContact: (ids) => service.createContact({ account, aliasId: ids.alias, email: "bob@sender.example" }),
  getContact: (ids) => service.getContact({ account, aliasId: ids.alias, contactId: ids.contact }),
  listContacts: (ids) => service.listContacts({ account, aliasId: ids.alias }),
  updateContact: (ids) =>
    service.updateContact({ account, aliasId: ids.alias, contactId: ids.contact, blocking: "reject" }),
  blockSender: (ids) => service.blockSender({ account, sender: ids.email }),
  unblockSender: (ids) => service.unblockSender({ account, blockedSenderId: ids.blocked }),
  listBlockedSenders: () => service.listBlockedSenders({ account }),
  listMessages: (ids) => service.listMessages({ account, aliasId: ids.alias }),
  getMessage: (ids) => service.getMessage({ account, aliasId: ids.alias, position: POSITION }),
  resendMessage: (ids) => service.resendMessage({ account, aliasId: ids.alias, position: POSITION }),
  createWebhook: () => service.createWebhook({ account, url: URL, events: ["alias.created"] }),
  getWebhook: (ids) => service.getWebhook({ account, webhookId: ids.webhook }),
  listWebhooks: () => service.listWebhooks({ account }),
  updateWebhook: (ids) => service.updateWebhook({ account, webhookId: ids.webhook, active: ids.active }),
  deleteWebhook: (ids) => service.deleteWebhook({ account, webhookId: ids.webhook }),
  testWebhook: (ids) => service.testWebhook({ account, webhookId: ids.webhook }),
  createApiKey: () => service.createApiKey({ account, name: "key", scopes: ["aliases:read"] }),
  listApiKeys: () => service.listApiKeys({ account }),
  deleteApiKey: (ids) => service.deleteApiKey({ account, apiKeyId: ids.apiKey }),
  addRecipient: (ids) => service.addRecipient({ account, email: ids.email }),
  adoptRecipient: (ids) => service.adoptRecipient({ account, email: ids.email }),
  resendVerification: (ids) => service.resendVerification({ account, recipientId: ids.recipient }),
  getRecipient: (ids) => service.getRecipient({ account, recipientId: ids.recipient }),
  listRecipients: () => service.listRecipients({ account }),
  updateRecipient: (ids) =>
    service.updateRecipient({ account, recipientId: ids.recipient, active: ids.active }),
  deleteRecipient: (ids) => service.deleteRecipient({ account, recipientId: ids.recipient }),
  reassignRecipient: (ids) =>
    service.reassignRecipient({ account, recipientId: ids.recipient, to: ids.otherRecipient }),
  getService: () => service.getService({ account }),
} satisfies Partial<Record<keyof Postern, (ids: Ids) => Outcome>>;

type Ids = {
  readonly alias: string;
  readonly contact: string;
  readonly blocked: string;
  readonly webhook: string;
  readonly apiKey: string;
  readonly recipient: string;
  readonly otherRecipient: string;
  readonly email: string;
  readonly active: boolean;
};

const arbitraryIds = ({ aliases, recipients, contact, blocked, webhook, apiKey }: Populated) => {
  const recipientId = fc.constantFrom(...recipients.map(({ id }) => String(id)), "unknown");
  return fc
    .record({
      alias: fc.constantFrom(...aliases.map(({ id }) => String(id)), "unknown"),
      contact: fc.constantFrom(String(contact.id), "a".repeat(26)),
      blocked: fc.constantFrom(String(blocked.id), "a".repeat(26)),
      webhook: fc.constantFrom(String(webhook.id), "a".repeat(26)),
      apiKey: fc.constantFrom(String(apiKey.id), "a".repeat(26)),
      recipient: recipientId,
      otherRecipient: recipientId,
      email: fc.constantFrom("fresh@home.example", "home-account-1@home.example"),
      active: fc.boolean(),
    })
    .filter(({ recipient, otherRecipient }) => recipient !== otherRecipient);
};

/** Not performed by the account itself. */
const NOT_OWN: readonly (keyof Postern)[] = [
  "authenticateApiKey",
  "resolveAlias",
  "recordMailOutcome",
  "eraseAlias",
  "verifyRecipient",
  "suppressMailbox",
  "releaseMailbox",
  "suspendAccount",
  "resumeAccount",
  "eraseAccount",
  "ping",
];

test("every operation is either the account's own or on the list of exceptions", () => {
  expect([...Object.keys(OWN), ...NOT_OWN].sort()).toEqual(Object.keys(service).sort());
});

describe("a suspended account", () => {
  test("can do nothing: whatever it tries, the answer is account_suspended and nothing changes", async () => {
    const populated = await populate(account);
    await populate(other);
    valueOf(await service.suspendAccount({ account }));
    const before = await everything();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<(ids: Ids) => Outcome>(...Object.values(OWN)),
        arbitraryIds(populated),
        async (call, ids) => {
          expect(failureOf(await call(ids))).toEqual(SUSPENDED);
          expect(await everything()).toEqual(before);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("is told what is wrong with its input all the same", async () => {
    valueOf(await service.suspendAccount({ account }));
    expect(failureOf(await service.addRecipient({ account, email: "" })).code).toBe("invalid_request");
    const { parse, run } = service.addRecipient;
    const parsed = valueOf(parse({ account, email: "me@home.example" }));
    expect(failureOf(await run(parsed))).toEqual(SUSPENDED);
  });

  test("has aliases that accept no mail, whatever their state, and are named to the mail server", async () => {
    const { aliases } = await populate(account);
    const [theirs] = (await populate(other)).aliases;
    valueOf(await service.suspendAccount({ account }));
    for (const { id, email } of aliases) {
      for (const address of [email, email.replace("@", "+tag@"), email.toUpperCase()]) {
        const failure = failureOf(await service.resolveAlias({ address }));
        expect(failure).toEqual({ ...SUSPENDED, account, aliasId: id });
      }
    }
    expect(valueOf(await service.resolveAlias({ address: theirs?.email ?? "" })).alias).toEqual(
      theirs && Alias.state(theirs),
    );
    valueOf(await service.resumeAccount({ account }));
    const [live, deleted] = aliases.map(({ email }) => email);
    expect(valueOf(await service.resolveAlias({ address: live ?? "" })).alias).toEqual(
      aliases[0] && Alias.state(aliases[0]),
    );
    expect(failureOf(await service.resolveAlias({ address: deleted ?? "" })).code).toBe("alias_deleted");
  });

  test("does not keep mailbox owners, mail reports and the operator from acting", async () => {
    const { aliases, recipients } = await populate(account);
    const [alias, deleted] = aliases;
    const token = ports.outbox.at(-1)?.token ?? "";
    valueOf(await service.suspendAccount({ account }));
    expect(valueOf(await service.verifyRecipient({ token })).id).toBe(recipients[2]?.id);
    valueOf(await service.suppressMailbox({ token }));
    expect(valueOf(await service.releaseMailbox({ email: "new-account-1@home.example" }))).toBe("released");
    const event = { eventId: "1", outcome: "sent", at: 1 } as const;
    expect(
      valueOf(await service.recordMailOutcome({ alias: { account, id: alias?.id ?? "" }, ...event })),
    ).toBe("recorded");
    valueOf(await service.eraseAlias({ account, aliasId: deleted?.id ?? "" }));
    expect(valueOf(await service.eraseAccount({ account }))).toEqual({
      aliases: 1,
      recipients: 3,
      blockedSenders: 1,
      webhooks: 1,
      apiKeys: 1,
      done: true,
    });
  });

  test("is resumed as it was", async () => {
    await populate(account);
    const before = await everything();
    valueOf(await service.suspendAccount({ account }));
    valueOf(await service.suspendAccount({ account }));
    for (let times = 0; times < 2; times += 1) valueOf(await service.resumeAccount({ account }));
    expect(await everything()).toEqual(before);
    expect(valueOf(await service.listAliases({ account })).items).toHaveLength(1);
  });

  test("is forgotten once it is erased, and can start anew", async () => {
    await populate(account);
    valueOf(await service.suspendAccount({ account }));
    valueOf(await service.eraseAccount({ account }));
    expect((await everything()).accounts).toEqual([]);
    expect((await service.adoptRecipient({ account, email: "me@home.example" })).isOk()).toBe(true);
  });

  test("stays suspended until nothing else is left to erase", async () => {
    const { recipients } = await populate(account);
    valueOf(await service.suspendAccount({ account }));
    const remove = vi.fn(store.recipients.remove).mockResolvedValueOnce(err({ code: "conflict" }));
    const contended = postern({
      store: { ...store, recipients: { ...store.recipients, remove } },
      aliasDomains,
      ...ports,
    });
    expect(valueOf(await contended.eraseAccount({ account })).done).toBe(false);
    expect(failureOf(await contended.listAliases({ account }))).toEqual(SUSPENDED);
    expect(valueOf(await contended.eraseAccount({ account })).done).toBe(true);
    expect(remove).toHaveBeenCalledTimes(recipients.length + 1);
    expect((await everything()).accounts).toEqual([]);
  });

  test("has the time of its suspension stored", async () => {
    const at = ports.clock.now();
    valueOf(await service.suspendAccount({ account }));
    ports.clock.advance(SECOND);
    valueOf(await service.suspendAccount({ account }));
    expect((await everything()).accounts).toMatchObject([{ suspended: at }]);
  });

  test.each(["suspendAccount", "resumeAccount"] as const)("%s refuses an invalid account", async (name) => {
    expect(failureOf(await service[name]({ account: "" })).code).toBe("invalid_request");
  });
});

describe("whether an account is suspended", () => {
  /** The service, with a count of the reads of its store. */
  const counted = () => {
    const find = vi.fn(store.suspensions.find);
    const suspensions = { ...store.suspensions, find };
    return { find, remembering: postern({ store: { ...store, suspensions }, aliasDomains, ...ports }) };
  };

  test("is read once every 10 seconds for each account", async () => {
    const { find, remembering } = counted();
    for (let times = 0; times < 5; times += 1) await remembering.listAliases({ account });
    await remembering.listAliases({ account: other });
    expect(find.mock.calls.map(([asked]) => asked)).toEqual([account, other]);
    ports.clock.advance(10 * SECOND - 1);
    await remembering.listAliases({ account });
    expect(find).toHaveBeenCalledTimes(2);
    ports.clock.advance(1);
    await remembering.listAliases({ account });
    expect(find).toHaveBeenCalledTimes(3);
  });

  test("takes effect at once where it is changed, and within 10 seconds elsewhere", async () => {
    const elsewhere = postern({ store, aliasDomains, ...ports });
    for (const change of ["suspendAccount", "resumeAccount"] as const) {
      const [before, after] = change === "suspendAccount" ? [true, false] : [false, true];
      expect((await elsewhere.listAliases({ account })).isOk()).toBe(before);
      valueOf(await service[change]({ account }));
      expect((await service.listAliases({ account })).isOk()).toBe(after);
      ports.clock.advance(10 * SECOND - 1);
      expect((await elsewhere.listAliases({ account })).isOk()).toBe(before);
      ports.clock.advance(1);
      expect((await elsewhere.listAliases({ account })).isOk()).toBe(after);
    }
  });

  test("is not remembered for longer if the clock goes back", async () => {
    const elsewhere = postern({ store, aliasDomains, ...ports });
    expect((await elsewhere.listAliases({ account })).isOk()).toBe(true);
    ports.clock.advance(9 * SECOND);
    expect((await elsewhere.listAliases({ account })).isOk()).toBe(true);
    valueOf(await service.suspendAccount({ account }));
    ports.clock.advance(-5 * SECOND);
    expect(failureOf(await elsewhere.listAliases({ account }))).toEqual(SUSPENDED);
  });

  test.each([
    [
      "the clock goes back, and another request notices",
      async () => {
        ports.clock.advance(-SECOND);
        void service.listAliases({ account: other });
      },
    ],
    ["the account is suspended", async () => valueOf(await service.suspendAccount({ account }))],
  ])("is not remembered if %s while it is read", async (_, meanwhile) => {
    const { promise: found, resolve } = Promise.withResolvers<void>();
    const find: Store["suspensions"]["find"] = vi.fn(async (of) => {
      const result = await store.suspensions.find(of);
      await found;
      return result;
    });
    const slow = { ...store, suspensions: { ...store.suspensions, find } };
    service = postern({ store: slow, aliasDomains, ...ports });
    const reading = service.listAliases({ account });
    await meanwhile();
    resolve();
    await reading;
    await service.listAliases({ account });
    expect(vi.mocked(find).mock.calls.filter(([of]) => of === account)).toHaveLength(2);
  });

  test("is remembered for 10,000 accounts, and forgotten first for the account read first", async () => {
    const { find, remembering } = counted();
    const use = async (first: number, last: number) => {
      for (let n = first; n <= last; n += 1) await remembering.listRecipients({ account: `account-${n}` });
    };
    await use(1, 10_000);
    await use(1, 10_000);
    expect(find).toHaveBeenCalledTimes(10_000);
    await use(10_001, 10_001);
    await use(2, 10_001);
    expect(find).toHaveBeenCalledTimes(10_001);
    await use(1, 1);
    expect(find).toHaveBeenCalledTimes(10_002);
  });

  test("is not remembered if the store failed, and the failure is passed on", async () => {
    const failing: Store["suspensions"] = {
      find: vi.fn(store.suspensions.find).mockResolvedValueOnce(err({ code: "unavailable" })),
      suspend: vi.fn(store.suspensions.suspend).mockResolvedValueOnce(err({ code: "unavailable" })),
      resume: vi.fn(store.suspensions.resume).mockResolvedValueOnce(err({ code: "unavailable" })),
    };
    const unreliable = postern({ store: { ...store, suspensions: failing }, aliasDomains, ...ports });
    const call = async () => (await unreliable.listAliases({ account })).mapErr(({ code }) => code);
    expect(failureOf(await unreliable.listAliases({ account }))).toEqual({ code: "unavailable" });
    expect((await call()).isOk()).toBe(true);
    for (const change of ["suspendAccount", "resumeAccount", "eraseAccount"] as const) {
      vi.mocked(failing.resume).mockResolvedValueOnce(err({ code: "unavailable" }));
      vi.mocked(failing.suspend).mockResolvedValueOnce(err({ code: "unavailable" }));
      expect(failureOf(await unreliable[change]({ account }))).toEqual({ code: "unavailable" });
    }
    const [{ email } = { email: "" }] = (await populate(account)).aliases;
    ports.clock.advance(10 * SECOND);
    vi.mocked(failing.find).mockResolvedValueOnce(err({ code: "unavailable" }));
    expect(failureOf(await unreliable.resolveAlias({ address: email }))).toEqual({ code: "unavailable" });
  });

  test("is read again after a change whose result is unclear", async () => {
    const suspend: Store["suspensions"]["suspend"] = async (...input) => {
      await store.suspensions.suspend(...input);
      return err({ code: "unavailable" });
    };
    const suspensions = { ...store.suspensions, suspend };
    const unclear = postern({ store: { ...store, suspensions }, aliasDomains, ...ports });
    expect((await unclear.listAliases({ account })).isOk()).toBe(true);
    expect(failureOf(await unclear.suspendAccount({ account })).code).toBe("unavailable");
    expect(failureOf(await unclear.listAliases({ account }))).toEqual(SUSPENDED);
  });
});

describe("releaseMailbox", () => {
  const email = "Me+tag@home.example";
  const DAY = 24 * 60 * 60 * SECOND;

  const suppressed = async () => {
    valueOf(await service.addRecipient({ account, email }));
    valueOf(await service.suppressMailbox({ token: ports.outbox.at(-1)?.token ?? "" }));
  };
  const add = (owner: string) => service.addRecipient({ account: owner, email: "me@home.example" });

  test("lets messages through again, and still counts earlier ones", async () => {
    await suppressed();
    expect(failureOf(await add(other))).toEqual({ code: "mailbox_suppressed" });
    expect(valueOf(await service.releaseMailbox({ email: "ME@home.example" }))).toBe("released");
    expect(valueOf(await service.releaseMailbox({ email }))).toBe("not_suppressed");
    expect(failureOf(await add(other))).toEqual({ code: "rate_limited", retryAfter: 60 * SECOND });
    ports.clock.advance(60 * SECOND);
    expect(valueOf(await add(other)).verification).toBe("sent");
  });

  test("restores the expiry of the entry", async () => {
    const at = ports.clock.now();
    await suppressed();
    ports.clock.advance(DAY);
    valueOf(await service.releaseMailbox({ email }));
    const key = ports.secrets.hash("mailbox:me@home.example");
    expect(valueOf(await store.mailLedger.find([key]))).toMatchObject([
      { chargedAt: [at], suppressedAt: null, expiresAt: at + 30 * DAY },
    ]);
  });

  test("lets an entry that counts nothing expire at once", async () => {
    const key = ports.secrets.hash("mailbox:me@home.example");
    const suppressedAt = ports.clock.now();
    const entry = { key, chargedAt: [], suppressedAt, expiresAt: null, version: 1 };
    valueOf(await store.mailLedger.save([entry]));
    ports.clock.advance(SECOND);
    expect(valueOf(await service.releaseMailbox({ email }))).toBe("released");
    expect(valueOf(await store.mailLedger.find([key]))).toMatchObject([
      { suppressedAt: null, expiresAt: suppressedAt + SECOND },
    ]);
  });

  test("changes nothing for a mailbox that is not suppressed", async () => {
    expect(valueOf(await service.releaseMailbox({ email }))).toBe("not_suppressed");
    expect((await everything()).ledger.items).toEqual([]);
  });

  test("reports that the store is unavailable, and refuses an invalid address", async () => {
    const mailLedger = { ...store.mailLedger, find: async () => err({ code: "unavailable" } as const) };
    const broken = postern({ store: { ...store, mailLedger }, aliasDomains, ...ports });
    expect(failureOf(await broken.releaseMailbox({ email }))).toEqual({ code: "unavailable" });
    expect(failureOf(await service.releaseMailbox({ email: "" })).code).toBe("invalid_request");
  });
});
