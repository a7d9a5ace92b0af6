import { memoryStore } from "@postern/adapter-memory";
import { ok, parseAccountId, postern, type Store } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import inject, { type InjectOptions } from "light-my-request";
import { afterEach, describe, expect, test } from "vitest";
import { type AuthorizationRequest, createApi, passHost, type RequestHost } from "../src/index.ts";

/* What a host tells the API about a request. */

const alice = valueOf(parseAccountId("alice"));
const JSON_TYPE = { "content-type": "application/json" };

let api: ReturnType<typeof createApi>;
afterEach(() => api.close());

/** The same store, which records the last argument of each call. */
const recording = (store: Store, lastArguments: unknown[]): Store => {
  const recorded = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get: (target, name) => {
        const port: unknown = Reflect.get(target, name);
        if (typeof port !== "function") return port;
        return (...args: readonly unknown[]) => {
          lastArguments.push(args.at(-1));
          return port(...args);
        };
      },
    });
  const { aliases, recipients, mailLedger, creations, suspensions } = store;
  return {
    ...store,
    aliases: recorded(aliases),
    recipients: recorded(recipients),
    mailLedger: recorded(mailLedger),
    creations: recorded(creations),
    suspensions: recorded(suspensions),
  };
};

const open = (store: Store = memoryStore(), seen: AuthorizationRequest[] = []) => {
  const ports = testPorts();
  const service = postern({ store, aliasDomains: ["alias.example"], ...ports });
  api = createApi({
    postern: service,
    authorizer: {
      authorize: (request) => {
        seen.push(request);
        return ok(alice);
      },
    },
    rateLimit: { perMinute: 0, creationsPerMinute: 10 },
  });
  const send = async (request: InjectOptions, host?: RequestHost) => {
    await api.ready();
    return inject((incoming, outgoing) => {
      if (host !== undefined) passHost(incoming, host);
      api.routing(incoming, outgoing);
    }, request);
  };
  return { send, service, ports };
};

test("the authorizer gets the context", async () => {
  const seen: AuthorizationRequest[] = [];
  const { send } = open(memoryStore(), seen);
  await send({ url: "/aliases" }, { context: "from the host" });
  await send({ url: "/aliases" });
  expect(seen.map(({ context }) => context)).toEqual(["from the host", undefined]);
});

test("the request's id is the client's, or else the host's, or else a new one", async () => {
  const { send } = open();
  const idOf = async (headers: Record<string, string>, host?: RequestHost) =>
    (await send({ url: "/aliases", headers }, host)).headers["x-request-id"];
  const host = { requestId: "host-1" };
  expect(await idOf({ "x-request-id": "client-1" }, host)).toBe("client-1");
  expect(await idOf({ "x-request-id": "not well formed" }, host)).toBe("host-1");
  expect(await idOf({}, host)).toBe("host-1");
  expect(await idOf({}, {})).toMatch(/^[0-9a-f-]{36}$/);
});

describe("the time left", () => {
  const LINK = "/recipients/verify?token=";

  test.each<[string, (token: string, recipient: string) => InjectOptions]>([
    ["a read", () => ({ url: "/aliases" })],
    [
      "a creation that may be a repeat",
      (_, recipient) => ({
        method: "POST",
        url: "/aliases",
        headers: { ...JSON_TYPE, "idempotency-key": "key-1" },
        payload: JSON.stringify({ recipient_ids: [recipient] }),
      }),
    ],
    ["a link that verifies", (token) => ({ url: `${LINK}${token}&confirm=true` })],
    ["a link that suppresses", (token) => ({ url: `${LINK}${token}&suppress=true` })],
  ])("is told to every call of the store: %s", async (_name, request) => {
    const told: unknown[] = [];
    const { send, service, ports } = open(recording(memoryStore(), told));
    const adopted = valueOf(await service.adoptRecipient({ account: alice, email: "me@mail.example" }));
    valueOf(await service.addRecipient({ account: alice, email: "new@mail.example" }));
    const sent = request(ports.outbox.at(-1)?.token ?? "", adopted.id);
    // Suspensions are not asked for again.
    told.splice(0);
    const response = await send(sent, { timeLeft: () => 1_234 });
    expect(response.statusCode).toBeLessThan(300);
    expect(told.length).toBeGreaterThan(0);
    expect(new Set(told)).toEqual(new Set([1_234]));
  });

  test("ends the wait for a store that does not respond, and a late response changes nothing", async () => {
    const { promise, resolve } = Promise.withResolvers<never>();
    const store = memoryStore();
    const { send } = open({ ...store, aliases: { ...store.aliases, list: () => promise } });
    const response = await send({ url: "/aliases" }, { timeLeft: () => 10 });
    expect([response.statusCode, response.json().code]).toEqual([503, "unavailable"]);
    expect(response.headers["retry-after"]).toBe("1");
    resolve(ok({ items: [], next: null }) as never);
    expect((await send({ url: "/recipients" }, { timeLeft: () => 1_000_000 })).statusCode).toBe(200);
  });
});
