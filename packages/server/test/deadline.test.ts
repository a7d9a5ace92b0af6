import { memoryStore } from "@postern/adapter-memory";
import { err, type PortResult, parseAccountId, type Store } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { startServer } from "../src/index.ts";
import { configurationWith } from "./support/configuration.ts";
import { startIdentityProvider } from "./support/identity-provider.ts";

// The clock stands still, except while a store takes its time.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());
const now = (): number => Number(vi.getMockedSystemTime());

/**
 * How long a remote store takes for the calls that concern one alias, in milliseconds, what happens before each save, and the calls that
 * will still arrive, although nobody waits for them.
 */
type Remote = {
  find: number;
  save: number;
  beforeSave: () => Promise<unknown>;
  readonly underWay: (() => PromiseLike<unknown>)[];
};

const remoteStore = (store: Store, remote: Remote): Store => {
  /**
   * Makes the call after a delay, as over a network. When the caller's time is up, the caller is told that the store is unavailable,
   * but what it has sent still arrives.
   */
  const after = async <T, E>(
    milliseconds: number,
    timeLeft = Number.POSITIVE_INFINITY,
    call: () => PortResult<T, E>,
  ): PortResult<T, E> => {
    if (timeLeft === 0) return err({ code: "unavailable" });
    vi.setSystemTime(Date.now() + Math.min(milliseconds, timeLeft));
    if (milliseconds < timeLeft) return call();
    remote.underWay.push(call);
    return err({ code: "unavailable" });
  };
  return {
    ...store,
    aliases: {
      ...store.aliases,
      findWithRecipients: (account, id, ids, timeLeft) =>
        after(remote.find, timeLeft, () => store.aliases.findWithRecipients(account, id, ids)),
      save: (before, changed, timeLeft) =>
        after(remote.save, timeLeft, async () => {
          await remote.beforeSave();
          return store.aliases.save(before, changed);
        }),
    },
  };
};

/** A server on such a store, with an alias that has the first of two recipients. */
const start = async () => {
  const store = memoryStore();
  const remote: Remote = { find: 0, save: 0, beforeSave: async () => {}, underWay: [] };
  const provider = await startIdentityProvider();
  provider.release();
  onTestFinished(provider.stop);
  const configuration = configurationWith({ POSTERN_LOG_LEVEL: "silent", POSTERN_ISSUER: provider.issuer });
  const server = valueOf(await startServer(configuration, { store: remoteStore(store, remote) }));
  onTestFinished(() => server.stop());
  const headers = { authorization: `Bearer ${provider.token}`, "content-type": "application/json" };
  const call = async (method: string, path: string, body?: unknown) => {
    const started = now();
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { status } = response;
    return { status, retryAfter: response.headers.get("retry-after"), passed: now() - started };
  };

  const account = valueOf(parseAccountId("somebody"));
  const first = { limit: 10, after: null };
  const recipients: string[] = [];
  for (const name of ["home", "work"]) {
    await call("POST", "/recipients", { recipient_email: `${name}@example.com` });
    const [added] = valueOf(await store.recipients.list(account, first)).items;
    if (added === undefined) throw new Error("the recipient was not stored");
    valueOf(await store.recipients.save(added, { ...added, verifiedAt: 1, version: added.version + 1 }));
    recipients.push(added.id);
  }
  expect(await call("POST", "/aliases", { recipient_ids: recipients.slice(0, 1) })).toMatchObject({
    status: 201,
  });
  const alias = async () => {
    const [found] = valueOf(await store.aliases.list(account, first, { deleted: false })).items;
    if (found === undefined) throw new Error("the alias was not stored");
    return found;
  };
  const list = async () => (await alias()).destinations.map(({ recipientId }) => recipientId);
  const { id } = await alias();
  const replace = () => call("PUT", `/aliases/${id}/recipients`, { recipient_ids: recipients.slice(1) });
  const get = () => call("GET", `/aliases/${id}`);
  /** What is under way to the store arrives. */
  const arrive = () => Promise.all(remote.underWay.splice(0).map((call) => call()));
  return { store, remote, recipients, alias, list, replace, get, arrive };
};

test("a replacement on a contended alias responds 503 within 2 seconds, and changes nothing", async () => {
  const { store, remote, recipients, alias, list, replace, arrive } = await start();
  let changes = 0;
  Object.assign(remote, {
    find: 150,
    save: 150,
    beforeSave: async () => {
      const before = await alias();
      changes += 1;
      valueOf(
        await store.aliases.save(before, {
          ...before,
          description: `change ${changes}`,
          version: before.version + 1,
        }),
      );
    },
  });
  const { status, retryAfter, passed } = await replace();
  expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) });
  expect(passed).toBeGreaterThan(1_000);
  expect(passed).toBeLessThanOrEqual(2_000);
  await arrive();
  expect(changes).toBeGreaterThan(1);
  expect(await alias()).toMatchObject({ version: 1 + changes, description: `change ${changes}` });
  expect(await list()).toEqual(recipients.slice(0, 1));
});

test("a replacement whose save is slow responds 503 within 2 seconds; repeating it is safe, and changes nothing twice", async () => {
  const { remote, recipients, alias, list, replace, arrive } = await start();
  remote.save = 3_000;
  const { status, passed } = await replace();
  expect(status).toBe(503);
  expect(passed).toBeLessThanOrEqual(2_000);
  expect((await alias()).version).toBe(1);
  remote.save = 0;
  // While the first one is still on its way.
  expect(await replace()).toMatchObject({ status: 200 });
  await arrive();
  expect(await alias()).toMatchObject({ version: 2 });
  expect(await list()).toEqual(recipients.slice(1));
  expect(await replace()).toMatchObject({ status: 200 });
  expect(await alias()).toMatchObject({ version: 2 });
});

test("a read from a slow store responds 503 within 2 seconds", async () => {
  const { remote, get } = await start();
  remote.find = 10_000;
  const { status, passed } = await get();
  expect(status).toBe(503);
  expect(passed).toBeLessThanOrEqual(2_000);
});
