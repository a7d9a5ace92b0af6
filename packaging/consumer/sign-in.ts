/* Signing in, against a server that answers nothing else than where its page is. */
import { deepStrictEqual } from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import {
  beginCodeFlow,
  type Refusal,
  refresh,
  type SignIn,
  signInWithPassword,
  type Tokens,
} from "@postern/sign-in";

const server = createServer((request, response) => {
  const isDiscovery = request.url?.endsWith("/.well-known/openid-configuration");
  response.writeHead(isDiscovery ? 200 : 500);
  response.end(JSON.stringify(isDiscovery ? { issuer, authorization_endpoint: `${issuer}/page` } : {}));
}).listen(0, "127.0.0.1");
await once(server, "listening");
const address = server.address();
if (address === null || typeof address === "string") throw new Error("no port");
const issuer = `http://127.0.0.1:${address.port}/us-east-1_Pool`;
const client = { issuer, clientId: "app" };

const refusal: Refusal = { type: "refused", code: "unreachable", reason: "status 500" };
const signIn: SignIn = await signInWithPassword(client, { username: "ada", password: "secret" });
deepStrictEqual(signIn, refusal);

const tokens: Tokens = { idToken: "", accessToken: "", refreshToken: "r", expiresAt: 0, from: "password" };
deepStrictEqual(await refresh(client, tokens, { signal: new AbortController().signal }), refusal);

const begun = await beginCodeFlow(client, { redirectUri: "http://localhost:8976/callback" });
if (begun.type === "refused") throw new Error(begun.code);
deepStrictEqual(new URL(begun.url).searchParams.get("state"), begun.pending.state);

server.close();
server.closeAllConnections();
