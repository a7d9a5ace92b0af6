import { memoryStore } from "@postern/adapter-memory";
import { err, ok, parseAccountId, postern } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type AuthorizationRequest, type Authorizer, createApi } from "../src/index.ts";
import { recordingLog } from "./support/log.ts";
import { exchange } from "./support/wire.ts";
import { worldPorts } from "./support/world.ts";

/* What a custom authorizer receives, and how the API handles its results. */

const alice = valueOf(parseAccountId("alice"));
const { log, lines } = recordingLog();

let ask: Authorizer["authorize"];
let seen: AuthorizationRequest[];
let started: string[];
let api: ReturnType<typeof createApi>;
beforeEach(() => {
  seen = [];
  lines.length = 0;
  started = [];
  ask = async () => ok(alice);
  api = createApi({
    postern: postern({ store: memoryStore(), aliasDomains: ["alias.example"], ...worldPorts().ports }),
    authorizer: {
      authorize: (request) => {
        seen.push(request);
        return ask(request);
      },
      start: () => void started.push("start"),
      stop: () => void started.push("stop"),
    },
    logger: log,
  });
});
afterEach(() => api.close());

test("receives the request before its body is read", async () => {
  const response = await api.inject({
    method: "POST",
    url: "/v1/aliases?a=b",
    headers: { authorization: "Session 1", "X-Session": "2", "content-type": "application/json" },
    payload: "{",
  });
  expect(response.statusCode).toBe(400);
  expect(seen).toMatchObject([
    {
      authorization: "Session 1",
      headers: { "x-session": "2" },
      method: "POST",
      url: "/v1/aliases?a=b",
      raw: { method: "POST", url: "/v1/aliases?a=b" },
    },
  ]);
});

test("receives none of several Authorization headers", async () => {
  const { port } = new URL(await api.listen({ host: "127.0.0.1", port: 0 }));
  for (const headers of ["", "Authorization: a\r\nauthorization: a\r\n", "Authorization: a\r\n"]) {
    await exchange(Number(port), `GET /aliases HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
  }
  expect(seen.map(({ authorization }) => authorization)).toEqual([undefined, undefined, "a"]);
});

test("is not called for open routes", async () => {
  await api.inject("/health");
  await api.inject("/v1/recipients/verify?token=x");
  expect(seen).toEqual([]);
});

test.each([
  ["unauthorized", 401],
  ["account_not_allowed", 403],
  ["unavailable", 503],
] as const)("%s is %i", async (code, status) => {
  ask = async () => err({ code });
  expect((await api.inject("/aliases")).statusCode).toBe(status);
});

test("may return its result, a promise of it, or any other thenable", async () => {
  const result = ok<typeof alice, never>(alice);
  // biome-ignore lint/suspicious/noThenProperty: the promises of other libraries are such objects
  const thenable = { then: (done: (value: typeof result) => void) => queueMicrotask(() => done(result)) };
  // Typed as a promise, as other libraries' promises are.
  for (const given of [result, Promise.resolve(result), thenable as unknown as Promise<typeof result>]) {
    ask = () => given;
    expect((await api.inject("/aliases")).statusCode).toBe(200);
  }
});

test("leads to 500 without details if it throws synchronously", async () => {
  ask = () => {
    throw new TypeError("session of me@mail.example");
  };
  // All but the first wait for their turn.
  const responses = await Promise.all([1, 2, 3].map(() => api.inject("/aliases")));
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([500, 500, 500]);
  expect(lines).toHaveLength(3);
  expect(JSON.stringify([responses.map(({ body }) => body), lines])).not.toContain("mail.example");
});

test("leads to 500 without details if it rejects, even for CONNECT, and the API keeps working", async () => {
  ask = async () => {
    throw new TypeError("session of me@mail.example");
  };
  const response = await api.inject("/aliases");
  expect([response.statusCode, response.json().code]).toEqual([500, "internal_error"]);
  expect(lines).toHaveLength(1);
  expect(response.body + JSON.stringify(lines)).not.toContain("mail.example");
  expect(JSON.stringify(lines)).toContain("TypeError");

  const { port } = new URL(await api.listen({ host: "127.0.0.1", port: 0 }));
  const { responses } = await exchange(Number(port), "CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n");
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([500]);
  ask = async () => ok(alice);
  expect((await api.inject("/aliases")).statusCode).toBe(200);
});

test("is started and stopped with the API", async () => {
  await api.ready();
  expect(started).toEqual(["start"]);
  await api.close();
  expect(started).toEqual(["start", "stop"]);
});
