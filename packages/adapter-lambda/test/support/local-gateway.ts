import { once } from "node:events";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { onTestFinished } from "vitest";
import { type LambdaOptions, type LambdaResponse, lambdaHandler } from "../../src/index.ts";
import { httpApi1, httpApi2, restApi } from "./gateways.ts";
import { contextWith } from "./lambda.ts";
import type { WireRequest } from "./wire-request.ts";

/* API Gateway on this machine: it verifies tokens as AWS documents it, and lets a handler respond. */

export const EVENTS = { rest: restApi, "http-1.0": httpApi1, "http-2.0": httpApi2 };

export type GatewayKind = keyof typeof EVENTS;

const isKind = (name: string): name is GatewayKind => Object.hasOwn(EVENTS, name);

type GatewayResponse = {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
  /** Whether it is the function's, and not the gateway's own. */
  readonly isOurs: boolean;
};

/** What has no authorizer, as in deploy/serverless/template.json. */
const isOpen = ({ method, path }: WireRequest): boolean =>
  method === "OPTIONS" ||
  (/^(?:\/v1)?\/(?:health|recipients\/verify)$/.test(path) && /^(?:GET|HEAD)$/.test(method));

/** What the gateway itself responds to a request without a good token: a REST API, if its gateway responses are set so. */
const UNAUTHORIZED: GatewayResponse = {
  statusCode: 401,
  headers: { "content-type": "application/json", "www-authenticate": "Bearer" },
  body: Buffer.from('{"message":"Unauthorized"}'),
  isOurs: false,
};

/**
 * The claims of the request's token, if its authorizer lets it pass. That of a REST API takes the identity tokens of all clients, and also
 * without the word Bearer. That of an HTTP API takes both kinds of tokens of its audience.
 */
const authorizerOf = (kind: GatewayKind, { issuer, audience, jwksUri }: Pool) => {
  const keys = createRemoteJWKSet(new URL(jwksUri));
  return async ({ headers }: WireRequest): Promise<Readonly<Record<string, unknown>> | null> => {
    const sent = headers.find(([name]) => name.toLowerCase() === "authorization")?.[1] ?? "";
    const isRest = kind === "rest";
    const [, token] = (isRest ? /^(?:Bearer )?(\S+)$/ : /^Bearer (\S+)$/i).exec(sent) ?? [];
    if (token === undefined) return null;
    try {
      const { payload } = await jwtVerify(token, keys, { issuer, requiredClaims: ["exp"] });
      const clients = [payload.aud ?? payload["client_id"]].flat();
      const passes = isRest ? payload["token_use"] === "id" : clients.includes(audience);
      return passes ? payload : null;
    } catch {
      return null;
    }
  };
};

type Invoke = (event: unknown) => Promise<LambdaResponse>;

type Pool = { readonly issuer: string; readonly audience: string; readonly jwksUri: string };

const joined = (lists: LambdaResponse["multiValueHeaders"] = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values.join(", ")]));

/** Sends requests through a gateway of this kind, in front of a function. */
const localGateway = (
  kind: GatewayKind,
  pool: Pool,
  invoke: Invoke,
  stage = kind === "rest" ? "prod" : "$default",
): ((request: WireRequest) => Promise<GatewayResponse>) => {
  const authorize = authorizerOf(kind, pool);
  return async (request) => {
    const claims = isOpen(request) ? null : await authorize(request);
    if (claims === null && !isOpen(request)) return UNAUTHORIZED;
    const event = EVENTS[kind](request, { claims, stage });
    // As JSON, which is how it reaches a function.
    const { statusCode, headers, multiValueHeaders, cookies, body, isBase64Encoded } = await invoke(
      JSON.parse(JSON.stringify(event)),
    );
    return {
      statusCode,
      headers: { ...headers, ...joined(multiValueHeaders), ...(cookies && { "set-cookie": cookies }) },
      body: Buffer.from(body, isBase64Encoded ? "base64" : "utf8"),
      isOurs: true,
    };
  };
};

/** A gateway of this kind that listens on a loopback port until the test has finished. Returns its URL. */
export const startGateway = async (...made: Parameters<typeof localGateway>): Promise<string> => {
  const send = localGateway(...made);
  const server = createServer(async (request, response) => {
    const { method = "", url = "", rawHeaders } = request;
    const [path = "", query = ""] = url.split("?");
    const sent = await buffer(request);
    const names = rawHeaders.filter((_, n) => n % 2 === 0);
    const headers = names.map((name, n) => [name, rawHeaders[2 * n + 1] ?? ""] as const);
    try {
      const answer = await send({ method, path, query, headers, body: sent.length > 0 ? sent : null });
      for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
      response.writeHead(answer.statusCode).end(answer.body);
    } catch (error) {
      // A function that fails is the gateway's own 502.
      console.error(error);
      response.writeHead(502).end('{"message":"Internal server error"}');
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("there is no port");
  return `http://127.0.0.1:${address.port}`;
};

/** Sends requests through a gateway of the kind with this name, in front of a function. */
export const gatewayNamed = (kind: string, pool: Pool, invoke: Invoke) => {
  if (!isKind(kind))
    throw new Error(`POSTERN_GATEWAY must be ${Object.keys(EVENTS).join(" or ")}, not ${kind}`);
  return localGateway(kind, pool, invoke);
};

/** The API as a function in this process. */
export const functionHere = (
  { issuer, audience }: Pool,
  options: Omit<LambdaOptions, "issuer" | "audience" | "rateLimit">,
): Invoke => {
  const handle = lambdaHandler({ ...options, issuer, audience, rateLimit: "gateway" });
  return (event) => handle(event, contextWith());
};
