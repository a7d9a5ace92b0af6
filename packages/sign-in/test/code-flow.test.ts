import { createHash } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { startIdentityProvider } from "../../trial/src/identity-provider/identity-provider.ts";
import { PEOPLE } from "../../trial/src/identity-provider/registered.ts";
import {
  beginCodeFlow,
  type CodeFlowBegun,
  type CodeFlowRequest,
  finishCodeFlow,
  refresh,
  revoke,
  type SignInClient,
  type Tokens,
} from "../src/index.ts";
import { idToken, pending, tokens } from "./support/calls.ts";
import { startHttpServer } from "./support/http-server.ts";
import { LIFETIMES, REDIRECT_URI, startOidcProvider } from "./support/oidc-provider.ts";
import { recorded } from "./support/recorded.ts";

const OFFLINE: CodeFlowRequest = {
  redirectUri: REDIRECT_URI,
  scope: "openid offline_access",
  parameters: { prompt: "consent", state: "not this" },
};

const refusal = (code: string, reason: unknown = expect.any(String)) => ({ type: "refused", code, reason });

const begun = (outcome: Awaited<ReturnType<typeof beginCodeFlow>>): CodeFlowBegun =>
  outcome.type === "begun" ? outcome : expect.unreachable(JSON.stringify(outcome));

const tokensOf = (outcome: Awaited<ReturnType<typeof finishCodeFlow>>): Tokens =>
  outcome.type === "signedIn" ? outcome.tokens : expect.unreachable(JSON.stringify(outcome));

describe("a certified OpenID Provider", () => {
  const start = async () => {
    const { issuer, client, browse } = await startOidcProvider();
    const { requests, fetch } = recorded();
    const app: SignInClient = { issuer, clientId: client, fetch };
    return { app, browse, requests };
  };

  test("signs somebody in; the tokens are renewed, and revoked, with a clock that is five minutes off", async () => {
    const { app, browse } = await start();
    for (const offset of [-300_000, 300_000]) {
      const now = Date.now() + offset;
      const client = { ...app, clock: { now: () => now } };
      const { url, pending } = begun(await beginCodeFlow(client, OFFLINE));
      const kept: typeof pending = JSON.parse(JSON.stringify(pending));
      const first = tokensOf(await finishCodeFlow(client, kept, await browse(url, "ada")));
      expect(first).toEqual({
        idToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        accessToken: expect.any(String),
        refreshToken: expect.any(String),
        expiresAt: now + LIFETIMES.AccessToken * 1_000,
        from: "code",
      });
      const second = tokensOf(await refresh(client, first));
      expect(second.idToken).not.toBe(first.idToken);
      expect(second.refreshToken).not.toBe(first.refreshToken);
      expect(await revoke(client, second)).toEqual({ type: "revoked" });
      expect(await revoke(client, second)).toEqual({ type: "revoked" });
      expect(await refresh(client, second)).toEqual(refusal("signed_out", "invalid_grant"));
    }
  });

  test("is asked for a code with PKCE, a state and a nonce, all of them new each time", async () => {
    const { app } = await start();
    const parameters = [];
    for (const { url, pending } of [
      begun(await beginCodeFlow(app, OFFLINE)),
      begun(await beginCodeFlow(app, OFFLINE)),
    ]) {
      const query = Object.fromEntries(new URL(url).searchParams);
      expect(query).toEqual({
        response_type: "code",
        client_id: "app",
        redirect_uri: REDIRECT_URI,
        scope: "openid offline_access",
        prompt: "consent",
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: createHash("sha256").update(pending.verifier).digest("base64url"),
        code_challenge_method: "S256",
      });
      expect(pending.verifier).toMatch(/^[\w.~-]{43,128}$/);
      parameters.push(pending.state, pending.nonce, pending.verifier);
    }
    expect(new Set(parameters).size).toBe(6);
  });

  test("a callback that is no answer to this sign-in is refused before its code is used", async () => {
    const { app, browse, requests } = await start();
    const { url, pending } = begun(await beginCodeFlow(app, OFFLINE));
    const callback = new URL(await browse(url, "ada"));
    const changed = (change: (parameters: URLSearchParams) => void): string => {
      const other = new URL(callback);
      change(other.searchParams);
      return other.href;
    };
    for (const [reason, change] of [
      ["state", (parameters) => parameters.set("state", "other")],
      ["state", (parameters) => parameters.delete("state")],
      ["state", (parameters) => parameters.append("state", pending.state)],
      ["iss", (parameters) => parameters.set("iss", "https://other.example.com")],
      ["iss", (parameters) => parameters.delete("iss")],
      ["iss", (parameters) => parameters.append("iss", app.issuer)],
      ["code", (parameters) => parameters.delete("code")],
    ] satisfies [string, (parameters: URLSearchParams) => void][]) {
      expect(await finishCodeFlow(app, pending, changed(change))).toEqual(refusal("untrusted", reason));
    }
    for (const nothing of ["", "/callback", "not an address", "http://["]) {
      expect(await finishCodeFlow(app, pending, nothing)).toEqual(refusal("untrusted", "state"));
    }
    expect(requests.filter(({ url }) => !url.endsWith("/.well-known/openid-configuration"))).toEqual([]);

    // An error is not believed either unless the rest is right.
    const error = (parameters: URLSearchParams) => parameters.set("error", "access_denied");
    expect(await finishCodeFlow(app, pending, changed(error))).toEqual(refusal("denied"));
    const wrong = changed((parameters) => [error(parameters), parameters.delete("iss")]);
    expect(await finishCodeFlow(app, pending, wrong)).toEqual(refusal("untrusted", "iss"));

    // A server sees only the path and the query; a page sees all.
    const { pathname, search } = callback;
    tokensOf(await finishCodeFlow(app, pending, `${pathname}${search}#fragment?state=x`));
    expect(await finishCodeFlow(app, pending, callback.href)).toEqual(refusal("expired", "invalid_grant"));
  });

  test("gives nothing for another code, for another verifier, or to another client", async () => {
    const { app, browse } = await start();
    const { url, pending } = begun(await beginCodeFlow(app, OFFLINE));
    const callback = await browse(url, "ada");
    const another = new URL(callback);
    another.searchParams.set("code", "another");
    expect(await finishCodeFlow(app, pending, another.href)).toEqual(refusal("expired", "invalid_grant"));
    const other = { ...app, clientId: "other" };
    expect(await finishCodeFlow(other, pending, callback)).toEqual(
      refusal("misconfigured", "invalid_client"),
    );
    const verifier = pending.verifier.toUpperCase();
    expect(await finishCodeFlow(app, { ...pending, verifier }, callback)).toEqual(
      refusal("expired", "invalid_grant"),
    );
  });

  test("says that somebody declined", async () => {
    const { app, browse } = await start();
    const { url, pending } = begun(await beginCodeFlow(app, OFFLINE));
    const outcome = await finishCodeFlow(app, pending, await browse(url, null));
    expect(outcome).toEqual(refusal("denied", "access_denied"));
  });
});

test("the trial's hosted page, as Cognito's, signs people in; their tokens are renewed and revoked there", async () => {
  const provider = await startIdentityProvider();
  onTestFinished(() => provider.stop());
  for (const { id, callbacks } of [provider.clients.browser, provider.clients.commandLine]) {
    const client = { issuer: provider.issuer, clientId: id };
    const { url, pending } = begun(await beginCodeFlow(client, { redirectUri: callbacks[0] ?? "" }));
    const { email: username, password } = PEOPLE.ready;
    const body = new URLSearchParams({ username, password });
    const { headers } = await fetch(url, { method: "POST", body, redirect: "manual" });
    const first = tokensOf(await finishCodeFlow(client, pending, headers.get("location") ?? ""));
    const second = tokensOf(await refresh(client, first));
    expect(await revoke(client, second)).toEqual({ type: "revoked" });
    expect(await refresh(client, second)).toEqual(refusal("signed_out", "invalid_grant"));
  }
});

describe("a provider of which each part can be wrong", () => {
  /** Answers discovery and the token endpoint, with these changes. */
  const start = async (
    discovery: object = {},
    token: (issuer: string) => object = () => ({}),
    status = 200,
  ) => {
    const { url, serve } = await startHttpServer();
    const issuer = `${url}/`;
    serve((request, response) => {
      const isDiscovery = request.url === "/.well-known/openid-configuration";
      const endpoints = { authorization_endpoint: `${url}/page?tenant=1`, token_endpoint: `${url}/token` };
      const answer = {
        id_token: idToken({ iss: issuer, nonce: "nonce" }),
        access_token: "access",
        token_type: "Bearer",
      };
      response.writeHead(isDiscovery ? 200 : status, { "content-type": "application/json" });
      response.end(
        JSON.stringify(
          isDiscovery ? { issuer, ...endpoints, ...discovery } : { ...answer, ...token(issuer) },
        ),
      );
    });
    return { issuer, clientId: "app", clock: { now: () => 0 } };
  };
  const finish = (client: SignInClient) => finishCodeFlow(client, pending, "?state=state&code=code");

  test.each([
    ["an issuer that ends in a slash and says no lifetime", {}, null, 3_600_000],
    ["expires_in is less than the ID token's lifetime", { expires_in: 60 }, null, 60_000],
    ["expires_in in quotation marks", { expires_in: "60" }, null, 60_000],
    [
      "expires_in is more than the ID token's lifetime",
      { expires_in: 86_400, refresh_token: "r" },
      "r",
      3_600_000,
    ],
  ])("%s", async (_, token, refreshToken, expiresAt) => {
    expect(tokensOf(await finish(await start({}, () => token)))).toMatchObject({ refreshToken, expiresAt });
  });

  test("the endpoint's own query is kept, and one that does not name itself need not, but must not name another", async () => {
    const client = await start();
    const { url } = begun(await beginCodeFlow(client, { redirectUri: "https://app.example.com/callback" }));
    expect(url).toMatch(/\/page\?tenant=1&response_type=code&/);
    const named = `?state=state&code=code&iss=${encodeURIComponent(client.issuer)}`;
    tokensOf(await finishCodeFlow(client, pending, named));
    expect(await finishCodeFlow(client, pending, `${named}.`)).toEqual(refusal("untrusted", "iss"));
  });

  const id = (changed: object) => ({ id_token: idToken({ nonce: "nonce", ...changed }) });
  test.each<[string, (issuer: string) => object, string, string]>([
    ["no nonce", (iss) => id({ iss, nonce: undefined }), "untrusted", "nonce"],
    ["another nonce", (iss) => id({ iss, nonce: "other" }), "untrusted", "nonce"],
    ["another issuer", () => id({ iss: "https://other.example.com" }), "untrusted", "iss"],
    ["no issuer", () => id({ iss: undefined }), "untrusted", "iss"],
    ["another audience", (iss) => id({ iss, aud: "other" }), "untrusted", "aud"],
    ["a list of other audiences", (iss) => id({ iss, aud: ["other", "others"] }), "untrusted", "aud"],
    ["no audience", (iss) => id({ iss, aud: undefined }), "untrusted", "aud"],
    ["a lifetime of 0", (iss) => id({ iss, exp: 1_000 }), "untrusted", "exp"],
    ["no end", (iss) => id({ iss, exp: undefined }), "untrusted", "exp"],
    ["an ID token that is no JWT", () => ({ id_token: "opaque" }), "untrusted", "iss"],
    ["no ID token", () => ({ id_token: undefined }), "misconfigured", "id_token"],
    ["no access token", () => ({ access_token: undefined }), "unreachable", "access_token"],
  ])("%s is refused", async (_, token, code, reason) => {
    expect(await finish(await start({}, token))).toEqual(refusal(code, reason));
  });

  test("a list of audiences can contain the client", async () => {
    tokensOf(await finish(await start({}, (iss) => id({ iss, aud: ["other", "app"] }))));
  });

  test("a discovery document that names another issuer is not believed", async () => {
    const client = await start({ issuer: "https://other.example.com" });
    expect(await finish(client)).toEqual(refusal("misconfigured", "issuer"));
  });

  test.each([
    ["invalid_grant", 400, "expired"],
    ["invalid_client", 401, "misconfigured"],
    ["unauthorized_client", 400, "misconfigured"],
    ["invalid_scope", 400, "misconfigured"],
    ["server_error", 400, "unreachable"],
    ["temporarily_unavailable", 400, "unreachable"],
    ["access_denied", 403, "denied"],
    ["login_required", 400, "denied"],
  ])("the error %s (status %i) is %s", async (error, status, code) => {
    expect(await finish(await start({}, () => ({ error }), status))).toEqual(refusal(code, error));
    const client = await start();
    expect(await finishCodeFlow(client, pending, `?state=state&error=${error}`)).toEqual(
      refusal(code, error),
    );
  });

  test("too many requests, and a server's error, are told apart from refusals", async () => {
    expect(await finish(await start({}, undefined, 429))).toEqual(refusal("too_many_attempts", "status 429"));
    expect(await finish(await start({}, () => ({ error: "server_error" }), 500))).toEqual(
      refusal("unreachable", "status 500"),
    );
  });

  test("endpoints must be confidential, and one for revocation may be missing", async () => {
    const clear = "http://id.example.com/";
    const redirectUri = pending.redirectUri;
    expect(await finish(await start({ token_endpoint: clear }))).toEqual(refusal("misconfigured", "https"));
    expect(await finish(await start({ token_endpoint: null }))).toEqual(
      refusal("not_supported", "token_endpoint"),
    );
    const page = await start({ authorization_endpoint: clear });
    expect(await beginCodeFlow(page, { redirectUri })).toEqual(refusal("misconfigured", "https"));
    expect(await revoke(await start(), tokens("code"))).toEqual(
      refusal("not_supported", "revocation_endpoint"),
    );
  });

  test("an issuer without a discovery document is for operators", async () => {
    const { url, serve } = await startHttpServer();
    serve((_, response) => response.writeHead(404).end("Not found"));
    const client = { issuer: url, clientId: "app" };
    const { redirectUri } = pending;
    expect(await beginCodeFlow(client, { redirectUri })).toEqual(refusal("misconfigured", "issuer"));
  });

  test.each([
    ["https://app.example.com/callback", true],
    ["http://localhost:8976/callback", true],
    ["http://127.0.0.1/callback", true],
    ["http://[::1]:8976/callback", true],
    ["http://app.example.com/callback", false],
    ["http://localhost.example.com/callback", false],
    ["http://localhost@app.example.com/callback", false],
    ["/callback", false],
    ["", false],
  ])("the redirect URI %s: %s", async (redirectUri, isAllowed) => {
    const outcome = await beginCodeFlow(await start(), { redirectUri });
    if (isAllowed) begun(outcome);
    else expect(outcome).toEqual(refusal("invalid_input", "redirectUri"));
  });
});
