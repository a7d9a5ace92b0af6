import { memoryStore } from "@postern/adapter-memory";
import {
  type Alias,
  err,
  MAX_WEBHOOKS,
  type Ports,
  type Postern,
  postern,
  type Store,
  type Webhook,
} from "@postern/core";
import { failureOf, type TestPorts, testPorts, valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test, vi } from "vitest";

const account = "account-1";
const DAY = 24 * 60 * 60 * 1000;
const REUSED = { error: { code: "idempotency_key_reused" } };

let store: Store;
let ports: TestPorts;
let service: Postern;
let home: string;
let work: string;

const serviceOn = (on: Store, others: Partial<Ports<Store>> = {}): Postern =>
  postern({
    ...ports,
    store: on,
    aliasDomains: ["alias.example", "second.example"],
    webhookSending: { send: async () => ({ code: "delivered" }) },
    ...others,
  });

beforeEach(async () => {
  store = memoryStore();
  ports = testPorts();
  service = serviceOn(store);
  const adopt = async (email: string) => valueOf(await service.adoptRecipient({ account, email })).id;
  home = await adopt("home@example.org");
  work = await adopt("work@example.org");
});

type AliasRequest = Omit<Parameters<Postern["createAlias"]>[0], "account" | "recipientIds"> & {
  readonly recipientIds?: readonly string[];
  readonly account?: string;
};

const createAlias = (request: AliasRequest, on = service) =>
  on.createAlias({ account, recipientIds: [home], idempotencyKey: "key", ...request });

type WebhookRequest = Partial<Parameters<Postern["createWebhook"]>[0]>;

const createWebhook = (request: WebhookRequest = {}, on = service) =>
  on.createWebhook({
    account,
    url: "https://service.example/",
    events: ["alias.created", "alias.deleted"],
    idempotencyKey: "key",
    ...request,
  });

const aliases = async (): Promise<readonly Alias[]> => {
  const lists = [false, true].map(async (deleted) =>
    valueOf(await service.listAliases({ account, deleted })),
  );
  return (await Promise.all(lists)).flatMap(({ items }) => items);
};

const webhooks = async (): Promise<readonly Webhook[]> => valueOf(await service.listWebhooks({ account }));

describe("a repeated creation of an alias", () => {
  test.each<AliasRequest>([
    { email: "shop@alias.example" },
    {},
    { format: "words", domain: "second.example" },
    { format: "uuid", description: "Shop" },
  ])("with %o returns the first one, as it is now", async (request) => {
    const first = valueOf(await createAlias(request));
    expect(await createAlias(request)).toEqual({ value: first });
    const changed = valueOf(
      await service.replaceRecipients({ account, aliasId: first.id, recipientIds: [work] }),
    );
    // By now, the request itself would be refused.
    valueOf(await service.updateRecipient({ account, recipientId: home, active: false }));
    expect(await createAlias(request)).toEqual({ value: changed });
    const deleted = valueOf(await service.deleteAlias({ account, aliasId: first.id }));
    expect(await createAlias(request)).toEqual({ value: deleted });
    expect(await aliases()).toEqual([deleted]);
    valueOf(await service.eraseAlias({ account, aliasId: first.id }));
    expect(await createAlias(request)).toEqual({ error: { code: "alias_not_found" } });
    expect(await aliases()).toEqual([]);
  });

  test("is one, however the same thing is asked for", async () => {
    const request = { format: "random", description: "", recipientIds: [home, work] } as const;
    const { id } = valueOf(await createAlias(request));
    for (const same of [
      { recipientIds: [home, work] },
      { recipientIds: [home, work, home], format: undefined, description: undefined },
      { description: "  ", recipientIds: [home, work] },
    ]) {
      expect(await createAlias(same)).toMatchObject({ value: { id } });
    }
  });

  test.each<AliasRequest>([
    { email: "SHOP@alias.example" },
    { email: "other@alias.example" },
    { email: undefined },
    { email: undefined, format: "words" },
    { email: undefined, domain: "alias.example" },
    { description: "Shop" },
    { recipientIds: ["work"] },
    { recipientIds: ["home", "work"] },
    { email: "admin@alias.example" },
    { recipientIds: ["unknown"] },
  ])("is none if it asks for %o instead, and changes nothing", async ({ recipientIds, ...other }) => {
    const first = valueOf(await createAlias({ email: "shop@alias.example" }));
    const named = new Map([
      ["home", home],
      ["work", work],
    ]);
    const ids = recipientIds?.map((name) => named.get(name) ?? name) ?? [home];
    expect(await createAlias({ email: "shop@alias.example", ...other, recipientIds: ids })).toEqual(REUSED);
    expect(await aliases()).toEqual([first]);
    expect(await createAlias({ email: "shop@alias.example" })).toEqual({ value: first });
  });

  test("stays one when the first alias domain changes", async () => {
    const first = valueOf(await createAlias({}));
    const changed = serviceOn(store, { aliasDomains: ["second.example", "alias.example"] });
    expect(await createAlias({}, changed)).toEqual({ value: first });
  });

  test("does not count for the limit of aliases", async () => {
    const limited = serviceOn(store, { limits: { aliases: 1 } });
    const first = valueOf(await createAlias({}, limited));
    expect(await createAlias({}, limited)).toEqual({ value: first });
    expect(failureOf(await createAlias({ idempotencyKey: "other" }, limited)).code).toBe("too_many_aliases");
  });
});

describe("a repeated creation of a webhook", () => {
  test("returns the first one, as it is now, with its secret", async () => {
    const first = valueOf(await createWebhook());
    expect(await createWebhook({ events: ["alias.deleted", "alias.created", "alias.deleted"] })).toEqual({
      value: first,
    });
    const changed = valueOf(
      await service.updateWebhook({ account, webhookId: first.id, url: "https://other.example/" }),
    );
    expect(await createWebhook()).toEqual({ value: changed });
    expect(changed.secret).toBe(first.secret);
    const disabled = serviceOn(store, { webhookSending: undefined });
    expect(await createWebhook({}, disabled)).toEqual({ value: changed });
    expect(await webhooks()).toEqual([changed]);
    valueOf(await service.deleteWebhook({ account, webhookId: first.id }));
    expect(await createWebhook()).toEqual({ error: { code: "webhook_not_found" } });
    expect(await webhooks()).toEqual([]);
  });

  test("is none if it asks for something else", async () => {
    const first = valueOf(await createWebhook());
    expect(await createWebhook({ url: "https://other.example/" })).toEqual(REUSED);
    expect(await createWebhook({ events: ["alias.created"] })).toEqual(REUSED);
    expect(await webhooks()).toEqual([first]);
  });

  test("does not count for the limit of webhooks", async () => {
    const first = valueOf(await createWebhook());
    for (let count = 1; count < MAX_WEBHOOKS; count += 1) {
      valueOf(await createWebhook({ idempotencyKey: `key-${count}` }));
    }
    expect(await createWebhook()).toEqual({ value: first });
    expect(failureOf(await createWebhook({ idempotencyKey: "new" })).code).toBe("too_many_webhooks");
  });
});

describe("an idempotency key", () => {
  test("is for an alias or for a webhook", async () => {
    const alias = valueOf(await createAlias({}));
    expect(await createWebhook()).toEqual(REUSED);
    const webhook = valueOf(await createWebhook({ idempotencyKey: "other" }));
    expect(await createAlias({ idempotencyKey: "other" })).toEqual(REUSED);
    expect([await aliases(), await webhooks()]).toEqual([[alias], [webhook]]);
  });

  test("counts for 24 hours", async () => {
    const alias = valueOf(await createAlias({}));
    const webhook = valueOf(await createWebhook({ idempotencyKey: "other" }));
    ports.clock.advance(DAY - 1);
    expect(await createAlias({})).toEqual({ value: alias });
    expect(await createWebhook({ idempotencyKey: "other" })).toEqual({ value: webhook });
    expect(await service.hasCreatedWith({ account, idempotencyKey: "key" })).toEqual({ value: true });
    ports.clock.advance(1);
    expect(await service.hasCreatedWith({ account, idempotencyKey: "key" })).toEqual({ value: false });
    const [second, third] = [
      valueOf(await createAlias({})),
      valueOf(await createWebhook({ idempotencyKey: "other" })),
    ];
    expect(await aliases()).toEqual([second, alias]);
    expect(await webhooks()).toEqual([third, webhook]);
  });

  test("belongs to its account", async () => {
    const first = valueOf(await createAlias({}));
    const other = "account-2";
    expect(await service.hasCreatedWith({ account: other, idempotencyKey: "key" })).toEqual({ value: false });
    const { id } = valueOf(await service.adoptRecipient({ account: other, email: "home@example.org" }));
    const created = valueOf(await createAlias({ account: other, recipientIds: [id] }));
    expect(created.account).toBe(other);
    expect(await createAlias({})).toEqual({ value: first });
  });

  test("is not used up by what fails", async () => {
    const added = valueOf(await service.addRecipient({ account, email: "new@example.org" }));
    const request = { email: "shop@alias.example", recipientIds: [added.recipient.id] };
    expect(failureOf(await createAlias(request)).code).toBe("recipients_ineligible");
    expect(failureOf(await createAlias({ email: "admin@alias.example" })).code).toBe("address_not_allowed");
    expect(await service.hasCreatedWith({ account, idempotencyKey: "key" })).toEqual({ value: false });
    valueOf(await service.verifyRecipient({ token: ports.outbox[0]?.token ?? "" }));
    const first = valueOf(await createAlias(request));
    expect(await createAlias(request)).toEqual({ value: first });
  });

  const VISIBLE = Array.from({ length: 94 }, (_, n) => String.fromCharCode(0x21 + n)).join("");

  test.each(["!", VISIBLE, "~".repeat(128)])("can be %j", async (idempotencyKey) => {
    const first = valueOf(await createAlias({ idempotencyKey }));
    expect(await createAlias({ idempotencyKey })).toEqual({ value: first });
  });

  test.each(["", "a".repeat(129), " ", "a b", "key ", "\t", "key\n", "\u007f", "ä", "🙂"])(
    "cannot be %j",
    async (idempotencyKey) => {
      const invalid = { error: { code: "invalid_request", issues: [{ path: ["idempotencyKey"] }] } };
      expect(await createAlias({ idempotencyKey })).toMatchObject(invalid);
      expect(await createWebhook({ idempotencyKey })).toMatchObject(invalid);
      expect(await service.hasCreatedWith({ account, idempotencyKey })).toMatchObject(invalid);
    },
  );

  test("is stored as a hash, like what was asked for, that differs for each account", async () => {
    const find = vi.spyOn(store.creations, "find");
    const other = "account-2";
    for (const owner of [account, other])
      await service.hasCreatedWith({ account: owner, idempotencyKey: "key" });
    const [one, two] = find.mock.calls.map(([, key]) => key);
    expect(one).not.toBe(two);
    expect(`${one}${two}`).not.toContain("key");
  });

  test("is forgotten when the account is erased, which takes several calls if there are many", async () => {
    for (let count = 0; count < 2000; count += 1) {
      const webhook = valueOf(await createWebhook({ idempotencyKey: `key-${count}` }));
      valueOf(await service.deleteWebhook({ account, webhookId: webhook.id }));
    }
    valueOf(await createAlias({}));
    const done: boolean[] = [];
    while (done.at(-1) !== true) done.push(valueOf(await service.eraseAccount({ account })).done);
    expect(done).toEqual([false, true]);
    for (const idempotencyKey of ["key", "key-0", "key-1999"]) {
      expect(await service.hasCreatedWith({ account, idempotencyKey })).toEqual({ value: false });
    }
  });

  test("is found to be used, whatever the store says first", async () => {
    const email = "shop@alias.example";
    const first = valueOf(await createAlias({ email }));
    const create = async () => err({ code: "address_taken" } as const);
    const other = serviceOn({ ...store, aliases: { ...store.aliases, create } });
    expect(await createAlias({ email }, other)).toEqual({ value: first });
    expect(await createAlias({ email, idempotencyKey: "other" }, other)).toMatchObject({
      error: { code: "address_taken" },
    });
  });

  test("makes a creation unavailable, with a cause, if what it created is forgotten meanwhile", async () => {
    const create = async () => err({ code: "already_created" } as const);
    const broken = serviceOn({ ...store, aliases: { ...store.aliases, create } });
    expect(failureOf(await createAlias({}, broken))).toMatchObject({
      code: "unavailable",
      cause: { source: "postern" },
    });
  });
});

/** What becomes of a call of the store: it is not made, or it is made, but its caller gets no answer. */
type Fault = "lost" | "unanswered" | null;

/** The store, with its calls in an order that the scheduler chooses, and with faults. */
const unreliable = (scheduler: fc.Scheduler, faults: Fault[]): Store => {
  const through = <Ports extends object>(all: Ports): Ports =>
    new Proxy(all, {
      get: (target, name) => {
        const port: unknown = Reflect.get(target, name);
        if (typeof port !== "function") return port;
        return scheduler.scheduleFunction(async (...args: readonly unknown[]) => {
          const fault = faults.pop() ?? null;
          const answer: unknown = fault === "lost" ? null : await port(...args);
          return fault === null ? answer : err({ code: "unavailable" });
        });
      },
    });
  return {
    ...store,
    aliases: through(store.aliases),
    recipients: through(store.recipients),
    webhooks: through(store.webhooks),
    creations: through(store.creations),
  };
};

type Kind = "chosen" | "generated" | "other address" | "webhook";

test("however many servers create with one key, whatever crashes and in whatever order, there is one result", async () => {
  const kind = fc.constantFrom<Kind>("chosen", "generated", "other address", "webhook");
  const requests = fc.oneof(
    fc.tuple(kind, fc.integer({ min: 2, max: 4 })).map(([each, count]) => Array<Kind>(count).fill(each)),
    fc.array(kind, { minLength: 2, maxLength: 4 }),
  );
  const fault = fc.constantFrom<Fault>(null, null, null, null, "lost", "unanswered");
  let serial = 0;
  await fc.assert(
    fc.asyncProperty(
      requests,
      fc.array(fault, { maxLength: 20 }),
      fc.scheduler(),
      async (kinds, faults, scheduler) => {
        serial += 1;
        const owner = `owner-${serial}`;
        const { id } = valueOf(await service.adoptRecipient({ account: owner, email: "home@example.org" }));
        const create = (each: Kind, on: Postern) =>
          each === "webhook"
            ? createWebhook({ account: owner }, on)
            : createAlias(
                {
                  account: owner,
                  recipientIds: [id],
                  ...(each === "generated"
                    ? {}
                    : { email: `${each === "chosen" ? "shop" : "news"}-${serial}@alias.example` }),
                },
                on,
              );
        const results = new Map<string, string>();
        const note = (each: Kind, result: Awaited<ReturnType<typeof create>>) => {
          if (result.isOk()) results.set(result.value.id, each);
          else expect(["unavailable", "idempotency_key_reused"]).toContain(result.error.code);
          return result;
        };
        const left = [...faults];
        const running = kinds.map(async (each) =>
          note(each, await create(each, serviceOn(unreliable(scheduler, left)))),
        );
        await scheduler.waitFor(Promise.all(running));
        // Whoever got no answer asks again, and gets the one result or learns that the key was used for something else.
        const again = await Promise.all(kinds.map(async (each) => note(each, await create(each, service))));
        expect(results.size).toBe(1);
        const [winner] = results.values();
        for (const [n, result] of again.entries()) expect(result.isOk()).toBe(kinds[n] === winner);
        const [live, hooks] = [
          valueOf(await service.listAliases({ account: owner })).items,
          valueOf(await service.listWebhooks({ account: owner })),
        ];
        expect([...live, ...hooks].map((each) => each.id)).toEqual([...results.keys()]);
      },
    ),
    // Making the example smaller can take minutes in which no timer runs.
    { numRuns: 100, endOnFailure: true },
  );
});
