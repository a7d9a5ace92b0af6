import { generateKeyPairSync } from "node:crypto";
import Provider from "oidc-provider";
import { newBrowser, REDIRECT_URI, signInWithCode } from "./authorization-code.ts";
import { startHttpServer } from "./http-server.ts";

const KEYS = {
  RS256: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  EdDSA: () => generateKeyPairSync("ed25519"),
};

/**
 * npm's oidc-provider, a certified OpenID Provider, that signs with `alg`. Its access tokens are JWTs too, and as like an ID token
 * as this provider can make them: for the same client, by the same key. Everybody can sign in; `ada` is in the group `mail`.
 */
export const startOidcProvider = async (alg: keyof typeof KEYS) => {
  const { url, serve } = await startHttpServer();
  const key = KEYS[alg]().privateKey.export({ format: "jwk" });
  const client = "webmail";
  const provider = new Provider(url, {
    jwks: { keys: [{ ...key, use: "sig", kid: "key-1" }] },
    cookies: { keys: ["not secret"] },
    clients: [
      {
        client_id: client,
        application_type: "native",
        redirect_uris: [REDIRECT_URI],
        token_endpoint_auth_method: "none",
        id_token_signed_response_alg: alg,
      },
    ],
    // In seconds. The defaults are printed.
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    claims: { openid: ["sub", "groups"] },
    // Otherwise only its userinfo endpoint gives claims such as groups.
    conformIdTokenClaims: false,
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, groups: sub === "ada" ? ["family", "mail"] : ["family"] }),
    }),
    features: {
      devInteractions: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => "urn:webmail",
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: "openid",
          audience: client,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg } },
        }),
      },
    },
  });
  serve(provider.callback());

  /** Follows the provider's pages, and answers its two forms: who it is, and that the client may know. */
  const browse = async (name: string, start: string): Promise<string> => {
    const visit = newBrowser();
    let at = start;
    let form: Record<string, string> | undefined;
    while (!at.startsWith(REDIRECT_URI)) {
      const response = await visit(at, form);
      const page = await response.text();
      const [, action = ""] = /action="([^"]+)"/.exec(page) ?? [];
      const [, prompt = ""] = /name="prompt" value="(\w+)"/.exec(page) ?? [];
      form = response.status === 200 ? { prompt, login: name, password: "any" } : undefined;
      at = new URL(response.headers.get("location") ?? action, at).href;
    }
    return at;
  };

  const endpoints = { authorization: `${url}/auth`, token: `${url}/token` };
  return {
    issuer: url,
    client,
    signIn: (name: string) => signInWithCode(endpoints, client, (start) => browse(name, start)),
  };
};
