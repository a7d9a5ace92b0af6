import { memoryStore } from "@postern/adapter-memory";
import { type AccountId, ok, type Store } from "@postern/core";
import type { PageRequest } from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { type Replacements, startServer } from "../src/index.ts";
import { configurationWith } from "./support/configuration.ts";
import { startIdentityProvider } from "./support/identity-provider.ts";

const quiet = (variables: Record<string, string> = {}) =>
  configurationWith({ POSTERN_LOG_LEVEL: "silent", ...variables });

/** Starts a server, and returns how to call it as a user. */
const start = async (replacements: Replacements, variables: Record<string, string> = {}) => {
  const provider = await startIdentityProvider();
  provider.release();
  onTestFinished(provider.stop);
  const configuration = quiet({ ...variables, POSTERN_ISSUER: provider.issuer });
  const server = valueOf(await startServer(configuration, replacements));
  const headers = { authorization: `Bearer ${provider.token}`, "content-type": "application/json" };
  return {
    server,
    addRecipient: (recipient_email: string) =>
      fetch(`${server.url}/recipients`, {
        method: "POST",
        headers,
        body: JSON.stringify({ recipient_email }),
      }),
  };
};

afterEach(() => vi.useRealTimers());

test("sends mail through the replacement, and stops only once", async () => {
  const send = vi.fn(async () => ok());
  const { server, addRecipient } = await start({ verificationMail: { send } });
  expect((await addRecipient("ada@example.com")).status).toBe(201);
  expect(send).toHaveBeenCalledExactlyOnceWith({
    account: "somebody",
    to: "ada@example.com",
    token: expect.any(String),
  });

  await Promise.all([server.stop(), server.stop()]);
  await server.stop();
  await expect(fetch(server.url)).rejects.toThrow("fetch failed");
});

test("with no authorizer, no token is accepted, and everything else works", async () => {
  const provider = await startIdentityProvider();
  provider.release();
  onTestFinished(provider.stop);
  const { url, stop } = valueOf(
    await startServer(quiet({ POSTERN_AUTHORIZER: "none", POSTERN_ISSUER: provider.issuer }), {}),
  );
  onTestFinished(() => stop());
  const statusOf = async (path: string) =>
    (await fetch(url + path, { headers: { authorization: `Bearer ${provider.token}` } })).status;
  expect(await statusOf("/aliases")).toBe(401);
  expect(await statusOf("/health")).toBe(200);
});

/** A store as an application might write it: a class whose methods use `this`. */
class CustomStore implements Store {
  readonly #inner = memoryStore();
  closed = false;
  readonly aliases = this.#inner.aliases;
  readonly recipients = this.#inner.recipients;
  readonly contacts = this.#inner.contacts;
  readonly blockedSenders = this.#inner.blockedSenders;
  readonly messageLog = this.#inner.messageLog;
  readonly resends = this.#inner.resends;
  readonly handedReports = this.#inner.handedReports;
  readonly webhooks = this.#inner.webhooks;
  readonly outbox = this.#inner.outbox;
  readonly apiKeys = this.#inner.apiKeys;
  readonly mailLedger = this.#inner.mailLedger;
  readonly creations = this.#inner.creations;
  readonly suspensions = this.#inner.suspensions;

  accounts(page: PageRequest<AccountId>) {
    return this.#inner.accounts(page);
  }

  ping() {
    return this.#inner.ping();
  }

  close() {
    this.closed = true;
  }
}

test("stores data in a custom store, which remains the caller's to close", async () => {
  const store = new CustomStore();
  const { server, addRecipient } = await start(
    { store, verificationMail: { send: async () => ok() } },
    // It could not be opened.
    { POSTERN_STORE: "sqlite", POSTERN_SQLITE_PATH: "/dev/null/postern.db" },
  );
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
  expect((await addRecipient("ada@example.com")).status).toBe(201);
  await server.stop();

  expect(store.closed).toBe(false);
  const [account, ...others] = valueOf(await store.accounts({ limit: 10, after: null })).items;
  if (account === undefined) expect.unreachable("nothing was stored");
  expect(others).toEqual([]);
  const { items } = valueOf(await store.recipients.list(account, { limit: 10, after: null }));
  expect(items).toMatchObject([{ email: "ada@example.com" }]);
});

test("cuts off requests that have not finished 10 seconds after stop", async () => {
  const { promise: stuck, resolve: stick } = Promise.withResolvers<void>();
  const verificationMail = {
    send: () => {
      stick();
      return new Promise<never>(() => {});
    },
  };
  const { server, addRecipient } = await start({ verificationMail });
  const running = addRecipient("ada@example.com").catch(() => "cut off");
  await stuck;

  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let stopped = false;
  void server.stop().then(() => {
    stopped = true;
  });
  await vi.advanceTimersByTimeAsync(9_999);
  await new Promise(setImmediate);
  expect(stopped).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  let outcome: unknown;
  void running.then((result) => {
    outcome = result;
  });
  // It takes some turns, and not until something else ends the request.
  for (let turn = 0; !(stopped && outcome) && turn < 1_000_000; turn += 1) await new Promise(setImmediate);
  expect(stopped).toBe(true);
  expect(outcome).toBe("cut off");
});

test("reports the address that it cannot listen on", async () => {
  const first = valueOf(await startServer(quiet()));
  onTestFinished(() => first.stop());
  const { port } = new URL(first.url);
  expect(failureOf(await startServer(quiet({ PORT: port })))).toEqual({
    code: "cannot_listen",
    what: "api",
    host: "127.0.0.1",
    port: Number(port),
    reason: "EADDRINUSE",
  });
});
