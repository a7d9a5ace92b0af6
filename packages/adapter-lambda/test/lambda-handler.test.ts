import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Observer } from "@postern/adapter-http";
import { memoryStore } from "@postern/adapter-memory";
import type { Aliases } from "@postern/core/store";
import { testPorts } from "@postern/core/testing";
import type { APIGatewayProxyHandler, APIGatewayProxyHandlerV2 } from "aws-lambda";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startValkey } from "../../adapter-http/test/support/valkey.ts";
import type { LambdaOptions, LambdaResponse } from "../src/index.ts";
import { lambdaResponse } from "../src/lambda-response.ts";
import { GATEWAYS, httpApi1, httpApi2, restApi } from "./support/gateways.ts";
import {
  AUDIENCE,
  AWS_REQUEST_ID,
  bearer,
  claimsWith,
  contextWith,
  newHandler,
  newService,
} from "./support/lambda.ts";
import { REAL_EVENTS } from "./support/real-events.ts";
import type { WireRequest } from "./support/wire-request.ts";

afterEach(() => vi.useRealTimers());

type Gateway = typeof restApi;

/** A request with a token of alice, or with these claims, that differs in this. */
const requestWith = ({
  as = claimsWith(),
  headers = [],
  ...changes
}: Partial<WireRequest> & { as?: ReturnType<typeof claimsWith> } = {}): WireRequest => ({
  method: "GET",
  path: "/aliases",
  query: "",
  body: null,
  headers: [["Host", "api.example"], ["Authorization", bearer(as)], ...headers],
  ...changes,
});

const passed = () => ({ claims: claimsWith() });

const jsonOf = ({ body, isBase64Encoded }: LambdaResponse) =>
  JSON.parse(Buffer.from(body, isBase64Encoded ? "base64" : "utf8").toString());

const UNAUTHORIZED = { statusCode: 401, body: '{"message":"Unauthorized"}' };

describe.each(Object.entries(GATEWAYS))("behind %s", (_, gateway: Gateway) => {
  let handle: ReturnType<typeof newHandler>;
  beforeEach(() => {
    // A token must not be a second older than the claims.
    vi.useFakeTimers({ toFake: ["Date"] });
    handle = newHandler();
  });

  const answer = (event: object) => handle(JSON.parse(JSON.stringify(event)), contextWith());

  test("adds a recipient, lists it and deletes it", async () => {
    const body = Buffer.from('{"recipient_email":"me@mail.example"}');
    const post = requestWith({
      method: "POST",
      path: "/v1/recipients",
      body,
      headers: [["Content-Type", "application/json"]],
    });
    const added = await answer(gateway(post, { ...passed(), inBase64: true }));
    expect(added.statusCode).toBe(201);
    const { recipient_id } = jsonOf(added);
    const listed = await answer(gateway(requestWith({ path: "/recipients", query: "limit=1" }), passed()));
    expect(jsonOf(listed).recipients).toMatchObject([{ recipient_id }]);
    const path = `/recipients/${recipient_id}`;
    const deleted = await answer(gateway(requestWith({ method: "DELETE", path }), passed()));
    expect(deleted).toMatchObject({ statusCode: 204, body: "", isBase64Encoded: false });
  });

  test.each([
    ["no authorizer", null],
    ["no claims", {}],
    ["another account's", { sub: "bob" }],
    ["another client's", { aud: "another" }],
    ["another issuer's", { iss: "https://issuer.example" }],
    ["those of another token", { exp: claimsWith()["exp"] }],
    ["those of an access token", { token_use: "access" }],
  ])("without the token's own claims, it is 401: %s", async (name, changes) => {
    vi.setSystemTime(Date.now() + 10_000);
    const claims = changes === null || name === "no claims" ? changes : claimsWith(changes);
    expect(await answer(gateway(requestWith(), { claims }))).toMatchObject(UNAUTHORIZED);
    expect((await answer(gateway(requestWith(), passed()))).statusCode).toBe(200);
  });

  test("accepts tokens of each client", async () => {
    handle = newHandler({ audience: [AUDIENCE, "scripts"] });
    for (const [aud, status] of [
      [AUDIENCE, 200],
      ["scripts", 200],
      ["another", 401],
    ] as const) {
      const claims = claimsWith({ aud });
      const event = gateway(requestWith({ as: claims }), { claims });
      expect((await answer(event)).statusCode).toBe(status);
    }
  });

  test.each(["my-1", "A_b.c-1"])("a client's request id is kept: %s", async (id) => {
    const request = requestWith({ headers: [["X-Request-Id", id]] });
    const { headers, multiValueHeaders } = await answer(gateway(request, passed()));
    expect({ ...multiValueHeaders, ...headers }["x-request-id"]?.toString()).toBe(id);
  });

  test.each(["me@mail.example", "JKJaXmPLvHcESHA=", "a b"])(
    "instead of a malformed request id, Lambda's is used: %s",
    async (id) => {
      const request = requestWith({ headers: [["X-Request-Id", id]] });
      const { headers, multiValueHeaders } = await answer(gateway(request, passed()));
      expect({ ...multiValueHeaders, ...headers }["x-request-id"]?.toString()).toBe(AWS_REQUEST_ID);
    },
  );

  test("what the client says of the body's length does not matter", async () => {
    const post = requestWith({
      method: "POST",
      path: "/recipients",
      body: Buffer.from('{"recipient_email":"me@mail.example"}'),
      headers: [
        ["Content-Type", "application/json"],
        ["Content-Length", "3"],
        ["Transfer-Encoding", "chunked"],
      ],
    });
    expect((await answer(gateway(post, passed()))).statusCode).toBe(201);
  });

  test("keeps concurrent requests apart", async () => {
    const isKnown = (n: number) => n % 2 === 0;
    const events = Array.from({ length: 20 }, (_each, n) =>
      gateway(requestWith(), { claims: isKnown(n) ? claimsWith() : null }),
    );
    const responses = await Promise.all(events.map(answer));
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(
      events.map((_each, n) => (isKnown(n) ? 200 : 401)),
    );
  });
});

describe("events of real gateways", () => {
  test.each(REAL_EVENTS)("of $exp", async ({ event, iat, exp }) => {
    vi.useFakeTimers({ toFake: ["Date"], now: (iat + 60) * 1000 });
    const { authorizer } = event.requestContext;
    const claims = "jwt" in authorizer ? authorizer.jwt.claims : authorizer.claims;
    const { iss, aud, sub, token_use } = claims;
    const handle = newHandler({ issuer: iss, audience: aud });
    const authorization = bearer({ iss, aud, sub, token_use, iat, exp });
    const headers = { ...event.headers, Authorization: authorization };
    const multiValueHeaders = "multiValueHeaders" in event && {
      multiValueHeaders: { ...event.multiValueHeaders, Authorization: [authorization] },
    };
    const authorized = { ...event, headers, ...multiValueHeaders };
    expect(await handle(authorized, contextWith())).toMatchObject({ statusCode: 404 });

    const { authorizer: _, ...requestContext } = event.requestContext;
    const unverified = { ...authorized, requestContext };
    expect(await handle(unverified, contextWith())).toMatchObject(UNAUTHORIZED);
  });
});

describe("without an authorizer that verifies tokens", () => {
  const CLAIMS = claimsWith();
  const event = (authorizer: object) => {
    const { requestContext, ...rest } = httpApi2(requestWith({ as: CLAIMS }));
    return { ...rest, requestContext: { ...requestContext, authorizer } };
  };
  const { requestContext: _, ...request } = restApi(requestWith({ as: CLAIMS }));
  const EVENTS = {
    "a function URL": event({ iam: { userId: "alice", ...CLAIMS } }),
    "a Lambda authorizer": event({ lambda: { claims: CLAIMS, ...CLAIMS } }),
    "a Lambda authorizer of a REST API": {
      ...request,
      requestContext: { stage: "prod", identity: { sourceIp: "192.0.2.1" }, authorizer: CLAIMS },
    },
    "a load balancer": { ...request, requestContext: { elb: { targetGroupArn: "arn" } } },
  };

  test.each(Object.entries(EVENTS))("%s is 401, unless a function finds claims", async (_name, sent) => {
    expect(await newHandler()(sent, contextWith())).toMatchObject(UNAUTHORIZED);
    const seen: unknown[] = [];
    const claims = (given: unknown) => {
      seen.push(given);
      return CLAIMS;
    };
    expect((await newHandler({ claims })(sent, contextWith())).statusCode).toBe(200);
    expect(seen).toEqual([sent]);
    const none = newHandler({ claims: () => undefined });
    expect(await none(sent, contextWith())).toMatchObject(UNAUTHORIZED);
  });

  test("the query that a load balancer has not decoded stays as it is", async () => {
    const sent = {
      httpMethod: "GET",
      path: "/recipients/verify",
      headers: { host: "api.example" },
      queryStringParameters: { token: "a%2Cb+c%2Bd%25" },
      requestContext: { elb: { targetGroupArn: "arn" } },
    };
    const response = await newHandler()(sent, contextWith());
    expect(jsonOf(response).confirm_url).toContain("?token=a%2Cb+c%2Bd%25&");
    expect(response.headers).toHaveProperty("content-type");
  });
});

test("cookies, which payload 2.0 has apart, are one header", async () => {
  const seen: unknown[] = [];
  const observer: Observer = ({ headers }) => {
    seen.push(headers.cookie);
    return { within: (run) => run(), answered: () => {} };
  };
  const cookies = [["Cookie", "a=1; b=2"] as const, ["Cookie", "c=3"] as const];
  await newHandler({ observer })(httpApi2(requestWith({ headers: cookies })), contextWith());
  expect(seen).toEqual(["a=1; b=2; c=3"]);
});

test.each([
  null,
  "{}",
  {},
  { version: "3.0" },
  { ...httpApi2(requestWith()), version: "1.0" },
  { ...restApi(requestWith()), version: "2.0" },
  { ...httpApi2(requestWith()), body: { secret: 1 } },
  { Records: [{ eventSource: "aws:sqs", body: "secret" }] },
])("another event is an error that says so, and quotes nothing (%#)", async (event) => {
  const answered = newHandler()(event, contextWith());
  await expect(answered).rejects.toThrow(
    new TypeError("The event is not a request of API Gateway in the payload format 1.0 or 2.0"),
  );
});

/** Where clients reach an API whose paths begin with `basePath`, and the path of the event. */
describe.each<[string, Gateway, path: string, stage: string, basePath: string]>([
  ["a stage of a REST API", restApi, "/aliases", "prod", ""],
  ["a stage of a REST API, in links too", restApi, "/aliases", "prod", "/prod"],
  ["a base path of a REST API's domain", restApi, "/mail/aliases", "prod", "/mail"],
  ["the default stage", httpApi2, "/aliases", "$default", ""],
  ["a stage", httpApi2, "/aliases", "prod", ""],
  ["a stage, in links too", httpApi2, "/aliases", "prod", "/prod"],
  ["a stage, payload 1.0", httpApi1, "/aliases", "prod", ""],
  ["a base path of a domain, which the event lacks", httpApi2, "/aliases", "$default", "/mail"],
  ["a base path of a domain", httpApi2, "/mail/aliases", "$default", "/mail"],
  ["a base path of a domain, in a stage", httpApi2, "/mail/v1/aliases", "prod", "/mail"],
])("%s", (_, gateway, path, stage, basePath) => {
  test("routes, and links where the client is", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const handle = newHandler({ basePath });
    const event = gateway(requestWith({ path }), { ...passed(), stage });
    expect((await handle(event, contextWith())).statusCode).toBe(200);
    const missing = gateway(requestWith({ path: `${path}/missing` }), { ...passed(), stage });
    const below = path.replace(basePath, "");
    expect(jsonOf(await handle(missing, contextWith())).instance).toBe(`${basePath}${below}/missing`);
  });
});

test.each([
  ["/prod/aliases", "$default", 404],
  ["/production/aliases", "prod", 404],
  ["/$default/aliases", "$default", 404],
  ["/prod/prod/aliases", "prod", 404],
  ["/prod", "prod", 404],
])("of the path %s in the stage %s, only the stage is removed", async (rawPath, stage, status) => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const { requestContext, ...rest } = httpApi2(requestWith(), passed());
  const event = { ...rest, rawPath, requestContext: { ...requestContext, stage } };
  expect((await newHandler()(event, contextWith())).statusCode).toBe(status);
});

test.each([
  ["/aliases/a%2Fb", "/aliases/a%2Fb"],
  ["/aliases/../service", "/aliases/../service"],
  ["/aliases/a b", "/aliases/a%20b"],
  ["/aliases/a?q=é#x", "/aliases/a%3Fq=%C3%A9%23x"],
  ["/aliases/100%", "/aliases/100%25"],
  ["/aliases/\ud800", "/aliases/%EF%BF%BD"],
  ["//aliases", "//aliases"],
])("the path %j is requested as %s", async (rawPath, instance) => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const event = { ...httpApi2(requestWith(), passed()), rawPath };
  expect(jsonOf(await newHandler()(event, contextWith()))).toMatchObject({ status: 404, instance });
});

describe("the time that Lambda leaves", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"] });
  });

  /** The times left that a store is told when aliases are listed with so much time left. */
  const toldTo = async (left: number) => {
    const store = memoryStore();
    const told: unknown[] = [];
    const list: Aliases["list"] = (account, page, filter, timeLeft) => {
      told.push(timeLeft);
      return store.aliases.list(account, page, filter, timeLeft);
    };
    const service = newService({ ...store, aliases: { ...store.aliases, list } });
    await newHandler({ postern: service })(httpApi2(requestWith(), passed()), contextWith(left));
    return told;
  };

  test("less half a second bounds every call of the store, and so does the operation's own limit", async () => {
    expect(await toldTo(1_700)).toEqual([1_200]);
    expect(await toldTo(30_000)).toEqual([2_000]);
  });

  const LATE = { statusCode: 503, headers: { "access-control-allow-origin": "https://app.example" } };

  test.each(["the store", "verification mail"])("bounds what waits for %s: 503", async (hanging) => {
    const never = () => new Promise<never>(() => {});
    const [store, ports] = [memoryStore(), testPorts()];
    const service =
      hanging === "the store"
        ? newService({ ...store, mailLedger: { ...store.mailLedger, find: never } })
        : newService(store, { ...ports, verificationMail: { send: never } });
    const causes: unknown[] = [];
    const observer: Observer = () => ({
      within: (run) => run(),
      answered: ({ cause }) => causes.push(cause?.reason),
    });
    const handle = newHandler({ postern: service, corsOrigins: ["https://app.example"], observer });
    const post = requestWith({
      method: "POST",
      path: "/recipients",
      body: Buffer.from('{"recipient_email":"me@mail.example"}'),
      headers: [
        ["Content-Type", "application/json"],
        ["Origin", "https://app.example"],
      ],
    });
    const event = httpApi2(post, passed());
    expect(await handle(event, contextWith(510))).toMatchObject(LATE);
    expect(await handle(event, contextWith(200))).toMatchObject({ statusCode: 503 });
    expect(causes[0]).toBe("the host of the API does not wait any longer");
  });
});

describe("responses", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"] });
  });

  test("to payload 1.0 have lists of headers", async () => {
    const response = await newHandler()(restApi(requestWith(), passed()), contextWith());
    expect(response).toMatchObject({
      statusCode: 200,
      multiValueHeaders: { "content-type": ["application/json; charset=utf-8"], vary: ["Origin"] },
      isBase64Encoded: false,
    });
    expect(response).not.toHaveProperty("headers");
    expect(jsonOf(response).aliases).toEqual([]);
  });

  test("to payload 2.0 have single headers", async () => {
    const response = await newHandler()(httpApi2(requestWith(), passed()), contextWith());
    expect(response).toMatchObject({
      statusCode: 200,
      headers: { "content-type": "application/json; charset=utf-8", vary: "Origin" },
      isBase64Encoded: false,
    });
    expect(response).not.toHaveProperty("multiValueHeaders");
  });

  test("contain no headers of a connection", async () => {
    const { headers } = await newHandler()(httpApi2(requestWith(), passed()), contextWith());
    for (const name of ["connection", "keep-alive", "transfer-encoding"]) {
      expect(headers).not.toHaveProperty(name);
    }
  });

  test("to HEAD have the length of the body and no body", async () => {
    const handle = newHandler();
    const get = await handle(httpApi2(requestWith(), passed()), contextWith());
    const head = await handle(httpApi2(requestWith({ method: "HEAD" }), passed()), contextWith());
    expect([head.statusCode, head.body]).toEqual([200, ""]);
    expect(head.headers?.["content-length"]).toBe(String(get.body.length));
  });

  test("have text as it is, everything else in base64, and cookies apart in payload 2.0", () => {
    const image = { statusCode: 200, headers: { "content-type": "image/png" }, rawPayload: Buffer.of(255) };
    const request = { wantsLists: false };
    expect(lambdaResponse(image, request)).toMatchObject({ body: "/w==", isBase64Encoded: true });
    const cookies = ["a=1", "b=2; Path=/"];
    const page = {
      statusCode: 200,
      headers: { "content-type": "text/html; charset=utf-8", "set-cookie": cookies },
      rawPayload: Buffer.from("é"),
    };
    expect(lambdaResponse(page, request)).toEqual({
      statusCode: 200,
      headers: { "content-type": "text/html; charset=utf-8" },
      cookies,
      body: "é",
      isBase64Encoded: false,
    });
    const inLists = lambdaResponse(page, { wantsLists: true });
    expect(inLists.multiValueHeaders).toHaveProperty("set-cookie", cookies);
  });

  test("have the types of @types/aws-lambda", () => {
    const types: [APIGatewayProxyHandler, APIGatewayProxyHandlerV2] = [newHandler(), newHandler()];
    expect(types).toHaveLength(2);
  });
});

describe("limits", () => {
  const optionsWith = (rateLimit: unknown) => ({ rateLimit }) as Partial<LambdaOptions>;

  test.each([[undefined], [null], ["none"], [{}], [{ perMinute: 60, creationsPerMinute: 60 }]])(
    "that each instance would count alone are refused: %j",
    (rateLimit) => {
      expect(() => newHandler(optionsWith(rateLimit))).toThrow(TypeError);
      expect(() => newHandler(optionsWith(rateLimit))).toThrow(/^rateLimit must have a redisUrl/);
    },
  );

  test("other options are checked as for every API", () => {
    const redisUrl = "redis://127.0.0.1";
    expect(() => newHandler(optionsWith({ perMinute: -1, redisUrl }))).toThrow(/^rateLimit\.perMinute /);
    expect(() => newHandler({ basePath: "mail" })).toThrow(/^The API cannot be mounted at "mail"/);
    expect(() => newHandler({ issuer: "x" })).toThrow(/^issuer must be/);
  });
});

const run = promisify(execFile);

/** What a program prints that uses what is here. A test waits until it has ended. */
const printed = async (program: string): Promise<string> => {
  const imports = `
    import { claimsWith, bearer, contextWith, newHandler } from "./test/support/lambda.ts";
    import { httpApi2 } from "./test/support/gateways.ts";`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", imports + program], {
    cwd: join(import.meta.dirname, ".."),
  });
  return stdout;
};

test("nothing keeps the process running: it listens on nothing, and has no timers", async () => {
  const output = await printed(`
    const [handle, claims] = [newHandler(), claimsWith()];
    const headers = [["Host", "a"], ["Authorization", bearer(claims)]];
    const event = httpApi2({ method: "GET", path: "/aliases", query: "", headers, body: null }, { claims });
    console.log((await handle(event, contextWith())).statusCode);
    console.log(process.getActiveResourcesInfo().filter((name) => /Timeout|Server/.test(name)).length);`);
  expect(output).toBe("200\n0\n");
});

test("instances count together, by account or by the address that the gateway has seen", async () => {
  const valkey = await startValkey();
  try {
    const output = await printed(`
      const rateLimit = { perMinute: 2, redisUrl: ${JSON.stringify(valkey.url)} };
      const [one, other] = [newHandler({ rateLimit }), newHandler({ rateLimit })];
      const send = async (handle, path, sub, sourceIp, forwarded) => {
        const claims = claimsWith({ sub });
        const headers = [["Host", "a"], ["Authorization", bearer(claims)], ["X-Forwarded-For", forwarded]];
        const event = httpApi2({ method: "GET", path, query: "token=x", headers, body: null }, { claims });
        event.requestContext.http.sourceIp = sourceIp;
        return (await handle(event, contextWith())).statusCode;
      };
      const statuses = [];
      for (const [handle, sub] of [[one, "a"], [other, "a"], [one, "a"], [other, "b"]]) {
        statuses.push(await send(handle, "/service", sub, "192.0.2.1", "1"));
      }
      for (const [sourceIp, forwarded] of [["1", "a"], ["1", "b"], ["1", "c"], ["2", "c"]]) {
        statuses.push(await send(one, "/recipients/verify", "a", "192.0.2." + sourceIp, "192.0.2." + forwarded));
      }
      console.log(statuses.join());
      process.exit();`);
    expect(output).toBe("200,200,429,200,200,200,429,200\n");
  } finally {
    await valkey.kill();
  }
});
