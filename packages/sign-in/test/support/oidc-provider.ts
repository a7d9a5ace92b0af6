import { generateKeyPairSync } from "node:crypto";
import Provider from "oidc-provider";
import { newBrowser } from "../../../server/test/support/authorization-code.ts";
import { startHttpServer } from "./http-server.ts";

/** Seconds for which tokens are valid. */
export const LIFETIMES = { AccessToken: 300, IdToken: 600 };

export const REDIRECT_URI = "http://127.0.0.1:1/callback?from=provider";

/** npm's oidc-provider, a certified OpenID Provider, which names itself at the redirect URI (RFC 9207). Anybody can sign in. */
export const startOidcProvider = async () => {
  const { url, serve } = await startHttpServer();
  const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
  const client = "app";
  const provider = new Provider(url, {
    jwks: { keys: [{ ...key, use: "sig", kid: "key-1", alg: "ES256" }] },
    cookies: { keys: ["not secret"] },
    clients: [
      {
        client_id: client,
        application_type: "native",
        redirect_uris: [REDIRECT_URI],
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token"],
        id_token_signed_response_alg: "ES256",
      },
    ],
    // In seconds. The defaults are printed.
    ttl: { ...LIFETIMES, Grant: 600, Interaction: 600, RefreshToken: 600, Session: 600 },
    findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub }) }),
    features: { devInteractions: { enabled: true }, revocation: { enabled: true } },
  });
  serve(provider.callback());

  /**
   * Follows the provider's pages, and answers its two forms: who it is, and that the client may know; or declines.
   *
   * @returns the address that the provider sends the person to
   */
  const browse = async (start: string, name: string | null): Promise<string> => {
    const visit = newBrowser();
    let at = start;
    let form: Record<string, string> | undefined;
    while (!at.startsWith("http://127.0.0.1:1/")) {
      const response = await visit(at, form);
      const page = await response.text();
      const [, action = ""] = /action="([^"]+)"/.exec(page) ?? [];
      const [, prompt = ""] = /name="prompt" value="(\w+)"/.exec(page) ?? [];
      const next = response.headers.get("location") ?? (name === null ? `${at}/abort` : action);
      form = response.status === 200 && name !== null ? { prompt, login: name, password: "any" } : undefined;
      at = new URL(next, at).href;
    }
    return at;
  };

  return { issuer: url, client, browse };
};
