import { generateKeyPairSync } from "node:crypto";
import { startGlewlwyd } from "@postern/test-support/glewlwyd";
import { expect } from "vitest";
import { atEnd } from "./at-end.ts";
import { REDIRECT_URI, signInWithCode } from "./authorization-code.ts";

const CLIENT = "webmail";

/** Debian's Glewlwyd, an OpenID Provider in C, that signs with ES256. Its claims here are texts, not lists. */
export const startGlewlwydProvider = async () => {
  const { url, stop } = await startGlewlwyd();
  atEnd(stop);
  const issuer = `${url}/api/oidc`;

  /** The cookies of a session. */
  const session = async (username: string): Promise<string> => {
    const response = await fetch(`${url}/api/auth/`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username, password: "password" }),
    });
    return response.headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ");
  };
  const send = async (cookie: string, method: string, path: string, body: object): Promise<void> => {
    const headers = { cookie, "content-type": "application/json" };
    const response = await fetch(`${url}/api/${path}`, { method, headers, body: JSON.stringify(body) });
    expect([path, response.status]).toEqual([path, 200]);
  };

  const admin = await session("admin");
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = { ...privateKey.export({ format: "jwk" }), kid: "key-1", alg: "ES256", use: "sig" };
  await send(admin, "POST", "mod/plugin/", {
    module: "oidc",
    name: "oidc",
    display_name: "oidc",
    parameters: {
      iss: issuer,
      "jwks-private": JSON.stringify({ keys: [key] }),
      "default-kid": "key-1",
      "jwks-show": true,
      "access-token-duration": 600,
      "refresh-token-duration": 600,
      "code-duration": 600,
      "refresh-token-rolling": false,
      "allow-non-oidc": true,
      "auth-type-code-enabled": true,
      "auth-type-token-enabled": false,
      "auth-type-password-enabled": false,
      "auth-type-client-enabled": false,
      "auth-type-refresh-enabled": false,
      "subject-type": "public",
      "pkce-allowed": true,
      "pkce-method-plain-allowed": false,
      claims: [{ name: "groups", type: "string", "user-property": "name", mandatory: true, scope: [] }],
    },
  });
  await send(admin, "POST", "client/", {
    client_id: CLIENT,
    name: CLIENT,
    enabled: true,
    confidential: false,
    redirect_uri: [REDIRECT_URI],
    authorization_type: ["code"],
    token_endpoint_auth_method: ["none"],
    scope: [],
  });
  for (const [username, group] of [
    ["ada", "mail"],
    ["bob", "family"],
  ]) {
    const scope = ["openid", "g_profile"];
    await send(admin, "POST", "user/", { username, password: "password", name: group, enabled: true, scope });
  }

  const endpoints = { authorization: `${issuer}/auth`, token: `${issuer}/token` };
  return {
    issuer,
    client: CLIENT,
    signIn: async (name: string) => {
      const cookie = await session(name);
      await send(cookie, "PUT", `auth/grant/${CLIENT}`, { scope: "openid" });
      const browse = async (start: string): Promise<string> => {
        // Without this parameter, it redirects to its own page first.
        const response = await fetch(`${start}&g_continue`, { headers: { cookie }, redirect: "manual" });
        return response.headers.get("location") ?? expect.unreachable(`HTTP ${response.status}`);
      };
      return signInWithCode(endpoints, CLIENT, browse);
    },
  };
};
