import { memoryStore } from "@postern/adapter-memory";
import {
  type Alias,
  type ApiKey,
  err,
  ok,
  type Ports,
  postern,
  type Store,
  type Webhook,
  type WebhookSending,
} from "@postern/core";
import { failureOf, type TestPorts, testPorts, valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test, vi } from "vitest";

const account = "account-1";
const unavailable = async () => err({ code: "unavailable" } as const);

let store: Store;
let ports: TestPorts;

const open = (changed: Partial<Ports["store"]> = {}) =>
  postern({ store: { ...store, ...changed }, aliasDomains: ["alias.example"], ...ports });

beforeEach(() => {
  store = memoryStore();
  ports = testPorts();
});

const adopt = async (email: string, owner = account) =>
  valueOf(await open().adoptRecipient({ account: owner, email }));

const create = async (recipientIds: readonly string[], owner = account): Promise<Alias> =>
  valueOf(await open().createAlias({ account: owner, recipientIds }));

const addWebhook = async (owner = account): Promise<Webhook> => {
  const webhookSending: WebhookSending = { send: async () => ({ code: "delivered" }) };
  const service = postern({ store, aliasDomains: ["alias.example"], ...ports, webhookSending });
  const command = { account: owner, url: "https://service.example/", events: ["alias.created"] as const };
  return valueOf(await service.createWebhook(command));
};

const addApiKey = async (owner = account): Promise<ApiKey> => {
  const service = postern({
    store,
    aliasDomains: ["alias.example"],
    ...ports,
    keysUrl: "https://keys.example",
  });
  const command = { account: owner, name: "Password manager", scopes: ["aliases:create"] as const };
  return valueOf(await service.createApiKey(command)).apiKey;
};

const retired = async (): Promise<readonly string[]> =>
  valueOf(await store.aliases.listRetiredAddresses({ limit: 100, after: null })).items;

const contents = async (owner: string) => {
  const service = open();
  return {
    live: valueOf(await service.listAliases({ account: owner })).items,
    deleted: valueOf(await service.listAliases({ account: owner, deleted: true })).items,
    recipients: valueOf(await service.listRecipients({ account: owner })).items,
    blockedSenders: valueOf(await service.listBlockedSenders({ account: owner })).items,
    webhooks: valueOf(await service.listWebhooks({ account: owner })),
    apiKeys: valueOf(await service.listApiKeys({ account: owner })),
  };
};

const NOTHING = { live: [], deleted: [], recipients: [], blockedSenders: [], webhooks: [], apiKeys: [] };

describe("eraseAlias", () => {
  test.each([false, true])("leaves nothing but a taken address (deleted first: %s)", async (deleted) => {
    const service = open();
    const home = await adopt("me@home.example");
    const { id: aliasId, email } = await create([home.id]);
    if (deleted) await service.deleteAlias({ account, aliasId });
    valueOf(await service.eraseAlias({ account, aliasId }));

    expect(failureOf(await service.getAlias({ account, aliasId })).code).toBe("alias_not_found");
    expect(failureOf(await service.restoreAlias({ account, aliasId })).code).toBe("alias_not_found");
    expect(await contents(account)).toEqual({ ...NOTHING, recipients: [home] });
    expect(await retired()).toEqual([email]);
    const other = await adopt("me@other.example", "account-2");
    const again = await service.createAlias({ account: "account-2", email, recipientIds: [other.id] });
    expect(failureOf(again)).toEqual({ code: "address_taken" });
  });

  test("can be repeated after an unclear result", async () => {
    const { id: aliasId } = await create([(await adopt("me@home.example")).id]);
    const erase: typeof store.aliases.erase = async (alias) => {
      await store.aliases.erase(alias);
      return unavailable();
    };
    const unclear = open({ aliases: { ...store.aliases, erase } });
    expect(failureOf(await unclear.eraseAlias({ account, aliasId })).code).toBe("unavailable");
    expect(failureOf(await open().eraseAlias({ account, aliasId })).code).toBe("alias_not_found");
  });

  test("erases the newest version when a concurrent save wins", async () => {
    const alias = await create([(await adopt("me@home.example")).id]);
    const erase = vi.fn(store.aliases.erase).mockImplementationOnce(async (seen) => {
      await store.aliases.save(seen, { ...seen, description: "new", version: seen.version + 1 });
      return store.aliases.erase(seen);
    });
    const service = open({ aliases: { ...store.aliases, erase } });
    valueOf(await service.eraseAlias({ account, aliasId: alias.id }));
    expect(erase).toHaveBeenCalledTimes(2);
    expect((await contents(account)).live).toEqual([]);
  });

  test("fails for bad input, another account's alias, and a store that does not respond", async () => {
    const { id: aliasId } = await create([(await adopt("me@home.example")).id]);
    expect(failureOf(await open().eraseAlias({ account, aliasId: "" })).code).toBe("invalid_request");
    expect(failureOf(await open().eraseAlias({ account: "b", aliasId })).code).toBe("alias_not_found");
    const blind = open({ aliases: { ...store.aliases, findWithRecipients: unavailable } });
    expect(failureOf(await blind.eraseAlias({ account, aliasId })).code).toBe("unavailable");
    expect((await contents(account)).live).toHaveLength(1);
  });
});

/** Erases the account, and returns how many calls it took. */
const eraseAll = async (service = open(), owner = account) => {
  const total = { calls: 0, aliases: 0, recipients: 0 };
  for (let done = false; !done; ) {
    if (total.calls > 20) throw new Error("eraseAccount never finishes");
    const erased = await service.eraseAccount({ account: owner });
    total.calls += 1;
    if (erased.isErr()) continue;
    total.aliases += erased.value.aliases;
    total.recipients += erased.value.recipients;
    done = erased.value.done;
  }
  return total;
};

describe("eraseAccount", () => {
  test("erases everything the account has, and nothing from other accounts", async () => {
    const [a, b] = [await adopt("a@home.example"), await adopt("b@home.example")];
    const kept = await adopt("me@other.example", "account-2");
    const foreign = await create([kept.id], "account-2");
    const mine = [await create([a.id]), await create([a.id, b.id]), await create([b.id])];
    await open().deleteAlias({ account, aliasId: mine[0]?.id ?? "" });
    await addWebhook();
    await addWebhook();
    const theirs = await addWebhook("account-2");
    await addApiKey();
    await addApiKey();
    const theirKey = await addApiKey("account-2");

    expect(valueOf(await open().eraseAccount({ account }))).toEqual({
      aliases: 3,
      recipients: 2,
      blockedSenders: 0,
      webhooks: 2,
      apiKeys: 2,
      done: true,
    });
    expect(await contents(account)).toEqual(NOTHING);
    expect(valueOf(await store.accounts({ limit: 9, after: null })).items).toEqual(["account-2"]);
    expect(await contents("account-2")).toMatchObject({
      live: [foreign],
      webhooks: [theirs],
      apiKeys: [theirKey],
    });
    expect(new Set(await retired())).toEqual(new Set(mine.map(({ email }) => email)));
  });

  test("an empty account is done after one call", async () => {
    expect(valueOf(await open().eraseAccount({ account }))).toEqual({
      aliases: 0,
      recipients: 0,
      blockedSenders: 0,
      webhooks: 0,
      apiKeys: 0,
      done: true,
    });
  });

  test("erases 100 aliases per call, and continues where it stopped", async () => {
    const home = await adopt("me@home.example");
    for (let i = 0; i < 150; i += 1) await create([home.id]);
    for (let i = 0; i < 120; i += 1) await adopt(`m${i}@home.example`);
    const first = valueOf(await open().eraseAccount({ account }));
    expect(first).toEqual({
      aliases: 100,
      recipients: 0,
      blockedSenders: 0,
      webhooks: 0,
      apiKeys: 0,
      done: false,
    });
    expect(await eraseAll()).toEqual({ calls: 2, aliases: 50, recipients: 121 });
    expect(await contents(account)).toEqual(NOTHING);
  });

  test("live and deleted aliases together are at most 100 per call, and recipients come after them", async () => {
    const home = await adopt("me@home.example");
    for (let n = 0; n < 130; n += 1) {
      const { id: aliasId } = await create([home.id]);
      if (n < 60) valueOf(await open().deleteAlias({ account, aliasId }));
    }
    const service = open();
    expect(valueOf(await service.eraseAccount({ account }))).toEqual({
      aliases: 100,
      recipients: 0,
      blockedSenders: 0,
      webhooks: 0,
      apiKeys: 0,
      done: false,
    });
    expect(valueOf(await service.eraseAccount({ account }))).toEqual({
      aliases: 30,
      recipients: 1,
      blockedSenders: 0,
      webhooks: 0,
      apiKeys: 0,
      done: true,
    });
  });

  test("finishes when repeated, no matter which calls fail", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.infiniteStream(fc.constantFrom(false, false, false, true)),
        fc.integer({ min: 0, max: 5 }),
        fc.integer({ min: 1, max: 4 }),
        async (failures, aliases, recipients) => {
          store = memoryStore();
          ports = testPorts();
          const ids: string[] = [];
          for (let i = 0; i < recipients; i += 1) ids.push((await adopt(`m${i}@home.example`)).id);
          for (let i = 0; i < aliases; i += 1) {
            const alias = await create([ids[i % recipients] ?? "", ids[0] ?? ""]);
            if (i % 3 === 2) await open().deleteAlias({ account, aliasId: alias.id });
            valueOf(await open().blockSender({ account, sender: `sender-${i}.example` }));
          }
          await addWebhook();
          const flaky =
            <A extends readonly unknown[], T>(call: (...args: A) => Promise<T>) =>
            async (...args: A): Promise<T | Awaited<ReturnType<typeof unavailable>>> => {
              const fails = failures.next().value === true;
              // Half of the failures happen after the write was applied.
              if (fails && failures.next().value === true) await call(...args);
              return fails ? unavailable() : call(...args);
            };
          const service = open({
            aliases: {
              ...store.aliases,
              list: flaky(store.aliases.list),
              erase: flaky(store.aliases.erase),
              findWithRecipients: flaky(store.aliases.findWithRecipients),
            },
            recipients: {
              ...store.recipients,
              list: flaky(store.recipients.list),
              remove: flaky(store.recipients.remove),
            },
            blockedSenders: {
              ...store.blockedSenders,
              list: flaky(store.blockedSenders.list),
              unblock: flaky(store.blockedSenders.unblock),
            },
            webhooks: {
              ...store.webhooks,
              list: flaky(store.webhooks.list),
              remove: flaky(store.webhooks.remove),
            },
            apiKeys: {
              ...store.apiKeys,
              list: flaky(store.apiKeys.list),
              remove: flaky(store.apiKeys.remove),
            },
          });
          for (let calls = 0; calls < 200; calls += 1) {
            const erased = await service.eraseAccount({ account });
            if (erased.isOk() && erased.value.done) break;
          }
          expect(await contents(account)).toEqual(NOTHING);
          expect(await retired()).toHaveLength(aliases);
        },
      ),
    );
  });

  test("is not done if a recipient was attached in the meantime", async () => {
    const home = await adopt("me@home.example");
    const remove = vi.fn(store.recipients.remove).mockImplementationOnce(async (recipient) => {
      await create([home.id]);
      return store.recipients.remove(recipient);
    });
    const service = open({ recipients: { ...store.recipients, remove } });
    expect(valueOf(await service.eraseAccount({ account }))).toEqual({
      aliases: 0,
      recipients: 0,
      blockedSenders: 0,
      webhooks: 0,
      apiKeys: 0,
      done: false,
    });
    expect(await eraseAll(service)).toEqual({ calls: 1, aliases: 1, recipients: 1 });
  });

  test("removes 100 blocked senders per call, and the rest in the next one", async () => {
    await adopt("me@home.example");
    for (let n = 0; n < 150; n += 1) {
      valueOf(await open().blockSender({ account, sender: `sender-${n}.example` }));
    }
    valueOf(await open().blockSender({ account: "account-2", sender: "spam.example" }));
    const service = open();
    expect(valueOf(await service.eraseAccount({ account }))).toEqual({
      aliases: 0,
      recipients: 1,
      blockedSenders: 100,
      webhooks: 0,
      apiKeys: 0,
      done: false,
    });
    expect(valueOf(await service.eraseAccount({ account }))).toMatchObject({
      blockedSenders: 50,
      webhooks: 0,
      apiKeys: 0,
      done: true,
    });
    expect(await contents(account)).toEqual(NOTHING);
    expect((await contents("account-2")).blockedSenders).toHaveLength(1);
  });

  test("skips an alias that another call has erased in the meantime", async () => {
    const home = await adopt("me@home.example");
    await create([home.id]);
    const erase = vi.fn(store.aliases.erase).mockImplementationOnce(async (alias) => {
      await store.aliases.erase(alias);
      return store.aliases.erase(alias);
    });
    const service = open({ aliases: { ...store.aliases, erase } });
    expect(valueOf(await service.eraseAccount({ account }))).toEqual({
      aliases: 0,
      recipients: 1,
      blockedSenders: 0,
      webhooks: 0,
      apiKeys: 0,
      done: true,
    });
  });

  test("reads an alias again only if it has changed or disappeared since it was listed", async () => {
    const { id } = await adopt("me@home.example");
    const [gone, changed] = [await create([id]), await create([id])];
    await create([id]);
    const list: typeof store.aliases.list = async (...request) => {
      const page = await store.aliases.list(...request);
      if (valueOf(page).items.length > 0) {
        valueOf(await open().updateAlias({ account, aliasId: changed.id, active: false }));
        valueOf(await open().eraseAlias({ account, aliasId: gone.id }));
      }
      return page;
    };
    const findWithRecipients = vi.fn(store.aliases.findWithRecipients);
    const service = open({ aliases: { ...store.aliases, list, findWithRecipients } });
    expect(valueOf(await service.eraseAccount({ account }))).toEqual({
      aliases: 2,
      recipients: 1,
      blockedSenders: 0,
      webhooks: 0,
      apiKeys: 0,
      done: true,
    });
    expect(findWithRecipients.mock.calls.map(([, aliasId]) => aliasId).sort()).toEqual(
      [gone.id, changed.id].sort(),
    );
    expect(await contents(account)).toEqual(NOTHING);
  });

  test("stops reading when pages never end, and reports that it is not done", async () => {
    const list: typeof store.aliases.list = async () => ok({ items: [], next: ports.ids.alias() });
    const service = open({ aliases: { ...store.aliases, list } });
    expect(valueOf(await service.eraseAccount({ account }))).toEqual({
      aliases: 0,
      recipients: 0,
      blockedSenders: 0,
      webhooks: 0,
      apiKeys: 0,
      done: false,
    });
  });

  test("refuses invalid input, and reports that the store is unavailable", async () => {
    expect(failureOf(await open().eraseAccount({ account: "" })).code).toBe("invalid_request");
    await create([(await adopt("me@home.example")).id]);
    for (const broken of [
      { aliases: { ...store.aliases, list: unavailable } },
      { aliases: { ...store.aliases, erase: unavailable } },
      { recipients: { ...store.recipients, list: unavailable } },
      { blockedSenders: { ...store.blockedSenders, list: unavailable } },
      { webhooks: { ...store.webhooks, list: unavailable } },
      { apiKeys: { ...store.apiKeys, list: unavailable } },
    ]) {
      expect(failureOf(await open(broken).eraseAccount({ account }))).toEqual({ code: "unavailable" });
    }
    await adopt("you@home.example");
    valueOf(await open().blockSender({ account, sender: "spam.example" }));
    await addWebhook();
    await addApiKey();
    for (const broken of [
      { recipients: { ...store.recipients, remove: unavailable } },
      { blockedSenders: { ...store.blockedSenders, unblock: unavailable } },
      { webhooks: { ...store.webhooks, remove: unavailable } },
      { apiKeys: { ...store.apiKeys, remove: unavailable } },
    ]) {
      expect(failureOf(await open(broken).eraseAccount({ account }))).toEqual({ code: "unavailable" });
    }
  });
});
