import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import fastify, { type FastifyReply } from "fastify";
import { hostedPageOf, type Reply, SCOPES } from "./hosted-page.ts";
import { peopleOf } from "./people.ts";
import { isRefused, refused } from "./refused.ts";
import { type AppClients, appClients, PEOPLE, type Person } from "./registered.ts";
import { signInOf } from "./sign-in.ts";
import { srpSignInOf } from "./srp-sign-in.ts";
import { tokensOf } from "./tokens.ts";
import { userPoolApi } from "./user-pool-api.ts";

/** The pool's own name follows the underscore. SRP is computed with it. */
const POOL = "us-east-1_PosternTr";

const parseJson = (body: unknown): unknown => {
  try {
    return typeof body === "string" ? JSON.parse(body) : undefined;
  } catch {
    return undefined;
  }
};

export type IdentityProvider = {
  /** The address of the user pools API. */
  readonly url: string;
  readonly issuer: string;
  readonly pool: string;
  readonly clients: AppClients;
  stop(): Promise<void>;
};

export type Options = {
  /** By default, any free one. */
  readonly port?: number;
  /** Where the browser app is served. */
  readonly origins?: readonly string[];
  readonly people?: readonly Person[];
  /** Called with the code for somebody who has forgotten their password. Must not throw. */
  readonly onResetCode?: (email: string, code: string) => void;
  /** The time, in milliseconds since 1970. */
  readonly now?: () => number;
  /** Of the verifiers of passwords. */
  readonly newSalt?: () => Uint8Array;
};

/**
 * A stand-in for Amazon Cognito, on loopback: a user pool with the sign-ins that an app needs, whose responses have the
 * form and the words of Cognito's. What it knows is gone when it stops.
 */
export const startIdentityProvider = async ({
  port = 0,
  origins = ["http://localhost:5173"],
  people: registered = Object.values(PEOPLE),
  onResetCode = () => {},
  now = Date.now,
  newSalt = () => randomBytes(16),
}: Options = {}): Promise<IdentityProvider> => {
  // It listens first, because tokens contain its address.
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  const url = `http://127.0.0.1:${address.port}`;
  const issuer = `${url}/${POOL}`;

  const clients = appClients(origins);
  const people = peopleOf(registered, now);
  const tokens = await tokensOf(people, issuer, now);
  const signIn = signInOf(people, now);
  const [, pool = ""] = POOL.split("_");
  const srpSignIn = srpSignInOf({ pool, people, signIn, now, newSalt });
  const api = userPoolApi({
    clients: Object.values(clients),
    people,
    signIn,
    srpSignIn,
    tokens,
    onResetCode,
  });

  const app = fastify({ bodyLimit: 64 * 1024 });
  app.addContentTypeParser("application/x-amz-json-1.1", { parseAs: "string" }, (_, body, done) =>
    done(null, body),
  );
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );

  // Apps in browsers call it.
  app.addHook("onRequest", async ({ headers }, reply) => {
    reply.headers({
      "access-control-allow-origin": "*",
      "access-control-allow-headers": headers["access-control-request-headers"] ?? "*",
      "access-control-expose-headers": "x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date",
      "cache-control": "no-store",
    });
  });
  app.options("*", (_, reply) => reply.code(204).send());

  app.post("/", async ({ headers, body }, reply) => {
    const [, operation = ""] = String(headers["x-amz-target"]).split(".");
    const request = parseJson(body);
    const result =
      request === undefined
        ? refused("SerializationException", "The body is not JSON")
        : await api(operation, request);
    reply.header("x-amzn-requestid", randomUUID()).type("application/x-amz-json-1.1");
    if (!isRefused(result)) return JSON.stringify(result);
    // The libraries cut the name off at the colon.
    reply.code(400).headers({
      "x-amzn-errortype": `${result.refused}:`,
      "x-amzn-errormessage": result.message,
    });
    return JSON.stringify({ __type: result.refused, message: result.message });
  });

  const hostedPage = hostedPageOf({ clients: Object.values(clients), signIn, tokens, now });
  const send = (reply: FastifyReply, answer: Reply) => {
    if ("redirect" in answer) return reply.redirect(answer.redirect);
    reply.code(answer.status);
    return "page" in answer ? reply.type("text/html").send(answer.page) : reply.send(answer.json);
  };
  app.get("/oauth2/authorize", ({ query }, reply) => send(reply, hostedPage.authorize(query)));
  app.post("/oauth2/authorize", ({ query, body }, reply) => send(reply, hostedPage.authorize(query, body)));
  app.post("/oauth2/token", async ({ body }, reply) => send(reply, await hostedPage.token(body)));
  app.post("/oauth2/revoke", ({ body }, reply) => send(reply, hostedPage.revoke(body)));
  app.get("/oauth2/userInfo", async ({ headers }, reply) =>
    send(reply, await hostedPage.userInfo(headers.authorization)),
  );

  app.get(`/${POOL}/.well-known/openid-configuration`, () => ({
    authorization_endpoint: `${url}/oauth2/authorize`,
    id_token_signing_alg_values_supported: ["RS256"],
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    response_types_supported: ["code"],
    revocation_endpoint: `${url}/oauth2/revoke`,
    scopes_supported: SCOPES,
    subject_types_supported: ["public"],
    token_endpoint: `${url}/oauth2/token`,
    token_endpoint_auth_methods_supported: ["none"],
    userinfo_endpoint: `${url}/oauth2/userInfo`,
  }));
  app.get(`/${POOL}/.well-known/jwks.json`, () => tokens.keys);

  await app.ready();
  server.on("request", app.routing);
  return {
    url,
    issuer,
    pool: POOL,
    clients,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await app.close();
    },
  };
};
