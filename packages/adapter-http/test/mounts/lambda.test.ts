import awsLambdaFastify from "@fastify/aws-lambda";
import { memoryStore } from "@postern/adapter-memory";
import { ok, parseAccountId, postern } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { Hono } from "hono";
import { handle } from "hono/aws-lambda";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createApi, fetchHandler } from "../../src/index.ts";
import { worldPorts } from "../support/world.ts";

/* AWS Lambda behind an HTTP API of API Gateway: events of payload format 2.0, modeled on its documentation. */

type Result = {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
  isBase64Encoded?: boolean;
};

const eventOf = (
  method: string,
  path: string,
  { query = "", body }: { query?: string; body?: string } = {},
) => ({
  version: "2.0",
  routeKey: "$default",
  rawPath: path,
  rawQueryString: query,
  ...(query !== "" && { queryStringParameters: Object.fromEntries(new URLSearchParams(query)) }),
  headers: {
    accept: "*/*",
    authorization: "Bearer alice",
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

let api: ReturnType<typeof createApi>;
beforeEach(() => {
  api = createApi({
    postern: postern({ store: memoryStore(), aliasDomains: ["alias.example"], ...worldPorts().ports }),
    authorizer: { authorize: async () => ok(valueOf(parseAccountId("alice"))) },
    trustedProxies: ["127.0.0.1"],
  });
});
afterEach(() => api.close());

type Handler = (event: ReturnType<typeof eventOf>) => Promise<Result>;
const HANDLERS: Readonly<Record<string, () => Handler>> = {
  "@fastify/aws-lambda": () => {
    const proxy = awsLambdaFastify(api);
    return (event) => proxy(event, {} as never) as unknown as Promise<Result>;
  },
  "the fetch handler and Hono": () => {
    const app = new Hono();
    const respond = fetchHandler(api);
    app.all("*", (context) => respond(context.req.raw));
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
});
