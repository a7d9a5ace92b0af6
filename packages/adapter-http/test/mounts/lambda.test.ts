import awsLambdaFastify from "@fastify/aws-lambda";
import { memoryStore } from "@postern/adapter-memory";
import { postern } from "@postern/core";
import { Hono } from "hono";
import { handle } from "hono/aws-lambda";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type AuthorizationRequest, createApi, fetchHandler, gatewayAuthorizer } from "../../src/index.ts";
import { AUDIENCE } from "../support/issuer.ts";
import { stopClock } from "../support/stop-clock.ts";
import { useIssuer } from "../support/use-issuer.ts";
import { worldPorts } from "../support/world.ts";

/* AWS Lambda behind an HTTP API of API Gateway: events of payload format 2.0, modeled on its documentation. */

const issuer = useIssuer();
let token: string;
beforeAll(async () => {
  token = await issuer().token();
});

type Result = {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
  isBase64Encoded?: boolean;
};

/** The claims of a token as the gateway's JWT authorizer passes them on: all as text. */
const claimsOf = (ofToken: string): Readonly<Record<string, string>> => {
  const claims: object = JSON.parse(Buffer.from(ofToken.split(".")[1] ?? "", "base64url").toString());
  return Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, String(value)]));
};

const eventOf = (
  method: string,
  path: string,
  {
    query = "",
    body,
    jwt = claimsOf(token),
  }: { query?: string; body?: string; jwt?: Readonly<Record<string, string>> | null } = {},
) => ({
  version: "2.0",
  routeKey: "$default",
  rawPath: path,
  rawQueryString: query,
  ...(query !== "" && { queryStringParameters: Object.fromEntries(new URLSearchParams(query)) }),
  headers: {
    accept: "*/*",
    // Only the gateway verifies the signature.
    authorization: `Bearer ${token.slice(0, token.lastIndexOf("."))}.AAAA`,
    "content-length": String(body?.length ?? 0),
    ...(body !== undefined && { "content-type": "application/json" }),
    host: "id.execute-api.eu-west-1.amazonaws.com",
    "x-forwarded-for": "192.0.2.1",
    "x-forwarded-port": "443",
    "x-forwarded-proto": "https",
  },
  requestContext: {
    accountId: "123456789012",
    apiId: "id",
    ...(jwt !== null && { authorizer: { jwt: { claims: jwt, scopes: null } } }),
    domainName: "id.execute-api.eu-west-1.amazonaws.com",
    domainPrefix: "id",
    http: { method, path, protocol: "HTTP/1.1", sourceIp: "192.0.2.1", userAgent: "curl/8" },
    requestId: "request-id",
    routeKey: "$default",
    stage: "$default",
    time: "12/Mar/2026:19:03:58 +0000",
    timeEpoch: 1_773_342_238_390,
  },
  ...(body !== undefined && { body: Buffer.from(body).toString("base64"), isBase64Encoded: true }),
  ...(body === undefined && { isBase64Encoded: false }),
});

type Event = ReturnType<typeof eventOf>;
type Handler = (event: Event) => Promise<Result>;

const apiWith = (claims: (request: AuthorizationRequest) => unknown) => {
  const api = createApi({
    postern: postern({ store: memoryStore(), aliasDomains: ["alias.example"], ...worldPorts().ports }),
    authorizer: gatewayAuthorizer({ issuer: issuer().name, audience: AUDIENCE, claims }),
    trustedProxies: ["127.0.0.1"],
  });
  onTestFinished(() => api.close());
  return api;
};

const HANDLERS: Readonly<Record<string, () => Handler>> = {
  "@fastify/aws-lambda": () => {
    const api = apiWith(
      ({ fastify }) =>
        fastify?.getDecorator<{ event: Event }>("awsLambda").event.requestContext.authorizer?.jwt.claims,
    );
    const proxy = awsLambdaFastify(api);
    return (event) => proxy(event, {} as never) as unknown as Promise<Result>;
  },
  "the fetch handler and Hono": () => {
    const respond = fetchHandler(apiWith(({ context }) => context));
    const app = new Hono<{ Bindings: { event: Event } }>();
    app.all("*", ({ req, env }) => respond(req.raw, env.event.requestContext.authorizer?.jwt.claims));
    const lambda = handle(app);
    return (event) => lambda(event as never, {} as never) as unknown as Promise<Result>;
  },
};

describe.each(Object.entries(HANDLERS))("with %s", (_, make) => {
  const textOf = ({ body, isBase64Encoded = false }: Result) =>
    isBase64Encoded ? Buffer.from(body, "base64").toString() : body;

  test("handles events", async () => {
    const lambda = make();
    const added = await lambda(
      eventOf("POST", "/v1/recipients", { body: '{"recipient_email":"me@mail.example"}' }),
    );
    expect(added.statusCode).toBe(201);
    const { recipient_id } = JSON.parse(textOf(added));
    expect(added.headers["location"]).toBe(`/v1/recipients/${recipient_id}`);
    expect(added.headers["content-type"]).toMatch(/^application\/json/);

    const listed = await lambda(eventOf("GET", "/recipients", { query: "limit=1" }));
    expect(JSON.parse(textOf(listed)).recipients).toMatchObject([{ recipient_id }]);
    const refused = await lambda(eventOf("GET", "/recipients", { query: "limit=0" }));
    expect(JSON.parse(textOf(refused))).toMatchObject({ status: 400, errors: [{ parameter: "limit" }] });
    const deleted = await lambda(eventOf("DELETE", `/recipients/${recipient_id}`));
    expect(deleted.statusCode).toBe(204);
  });

  test("rejects events that the gateway's authorizer has not verified", async () => {
    const lambda = make();
    const bob = claimsOf(await issuer().token({ sub: "bob" }));
    for (const jwt of [null, {}, bob]) {
      const { statusCode, body } = await lambda(eventOf("GET", "/aliases", { jwt }));
      expect([statusCode, body]).toEqual([401, '{"message":"Unauthorized"}']);
    }
    expect((await lambda(eventOf("GET", "/aliases"))).statusCode).toBe(200);
  });

  test("keeps concurrent events apart", async () => {
    stopClock();
    const lambda = make();
    const events = Array.from({ length: 20 }, (_, index) =>
      eventOf("GET", "/aliases", index % 2 === 0 ? {} : { jwt: null }),
    );
    const responses = await Promise.all(events.map(lambda));
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(
      events.map((_, index) => (index % 2 === 0 ? 200 : 401)),
    );
  });
});
