import { memoryStore } from "@postern/adapter-memory";
import { err, ok, parseAccountId, postern } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type AuthorizationRequest, type Authorizer, createApi } from "../src/index.ts";
import { documented } from "./support/documented.ts";
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
  api = documented(
    createApi({
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
    }),
  );
});
afterEach(() => api.close());

const throws = (value: unknown): never => {
  throw value;
};

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

const thrown: readonly (readonly [value: unknown, type: string, message: string])[] = [
  [new TypeError("the sessions are gone"), "TypeError", "the sessions are gone"],
  [
    new Error("no session", { cause: new Error("fetch failed", { cause: { secret: 1 } }) }),
    "Error",
    "no session: fetch failed",
  ],
  [new AggregateError([new Error("1"), new Error("2")]), "AggregateError", "AggregateError"],
  ["just a text", "Error", "just a text"],
  [null, "Error", "null"],
  [new Error("long ".repeat(1000)), "Error", "long ".repeat(200)],
];

test.each(thrown)(
  "leads to 500 and is logged with its message if it throws %s",
  async (value, type, message) => {
    for (const fails of [() => Promise.reject(value), () => throws(value)]) {
      ask = fails;
      // All but the first wait for their turn.
      const responses = await Promise.all([1, 2, 3].map(() => api.inject("/aliases")));
      for (const { statusCode, body } of responses) {
        expect(statusCode).toBe(500);
        expect(JSON.parse(body).code).toBe("internal_error");
        expect(body).not.toContain(message);
      }
      const details = { method: "GET", route: "/aliases", err: { type, message } };
      expect(lines.splice(0)).toMatchObject(responses.map(() => [details, "the authorizer failed"]));
    }
  },
);

const wrong: readonly (readonly [answer: unknown, problem: string])[] = [
  [undefined, "but returned undefined"],
  [null, "but returned null"],
  ["alice", "but returned string"],
  [{ ok: true, value: "alice" }, "but returned object"],
  [ok(undefined), "an account id, from parseAccountId, but returned undefined"],
  [ok(7), "but returned number"],
  [ok(""), "but returned a string that is not one"],
  [
    err(undefined),
    "must have one of the codes unauthorized, account_not_allowed, unavailable, but has undefined",
  ],
  [err(new Error("alice@mail.example")), "but has undefined"],
  [err({ code: "forbidden" }), 'but has "forbidden"'],
];

test.each(wrong)(
  "leads to 500, and the log names what is wrong, if it returns %j",
  async (answer, problem) => {
    // What JavaScript allows, and TypeScript does not.
    ask = () => answer as ReturnType<Authorizer["authorize"]>;
    expect((await api.inject("/aliases")).statusCode).toBe(500);
    ask = async () => answer as Awaited<ReturnType<Authorizer["authorize"]>>;
    expect((await api.inject("/aliases")).statusCode).toBe(500);
    const line = [
      { err: { type: "TypeError", message: expect.stringContaining(problem) } },
      "the authorizer failed",
    ];
    expect(lines).toMatchObject([line, line]);
    expect(JSON.stringify(lines)).not.toContain("alice");
  },
);

test("may fail for CONNECT, which is logged too, and the API keeps working", async () => {
  ask = async () => throws(new TypeError("the sessions are gone"));
  const { port } = new URL(await api.listen({ host: "127.0.0.1", port: 0 }));
  const { responses } = await exchange(Number(port), "CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n");
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([500]);
  expect(lines).toMatchObject([
    [{ method: "CONNECT", err: { message: "the sessions are gone" } }, expect.anything()],
  ]);
  ask = async () => ok(alice);
  expect((await api.inject("/aliases")).statusCode).toBe(200);
});

test("is logged if it does not start, also where nobody sees that the API is not ready", async () => {
  const unable = createApi({
    postern: postern({ store: memoryStore(), aliasDomains: ["alias.example"], ...worldPorts().ports }),
    authorizer: { authorize: () => ok(alice), start: () => throws(new Error("no connection")) },
    logger: log,
  });
  await expect(unable.ready()).rejects.toThrow("no connection");
  expect(lines).toMatchObject([[{ err: { message: "no connection" } }, "the authorizer failed"]]);
});

test("is started and stopped with the API", async () => {
  await api.ready();
  expect(started).toEqual(["start"]);
  await api.close();
  expect(started).toEqual(["start", "stop"]);
});
