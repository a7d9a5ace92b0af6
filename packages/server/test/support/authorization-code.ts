import { createHash, randomBytes } from "node:crypto";
import { expect } from "vitest";
import * as z from "zod";

/** Where a provider's app client sends the code. Nothing listens there: the tests only read the URL. */
export const REDIRECT_URI = "http://127.0.0.1:1/signed-in";

const Tokens = z.object({ id_token: z.string(), access_token: z.string() });

export type SignedIn = { readonly idToken: string; readonly accessToken: string };

/**
 * Signs in as a browser app does: with the authorization code grant and PKCE (RFC 7636).
 *
 * @param browse opens the authorization page, signs somebody in, and returns the URL that the provider redirects to
 * @param others further parameters of both requests
 */
export const signInWithCode = async (
  endpoints: { readonly authorization: string; readonly token: string },
  client: string,
  browse: (url: string) => Promise<string>,
  others: Readonly<Record<string, string>> = {},
): Promise<SignedIn> => {
  const verifier = randomBytes(32).toString("base64url");
  const query = new URLSearchParams({
    ...others,
    client_id: client,
    response_type: "code",
    scope: "openid",
    redirect_uri: REDIRECT_URI,
    state: randomBytes(16).toString("hex"),
    nonce: randomBytes(16).toString("hex"),
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  const redirected = new URL(await browse(`${endpoints.authorization}?${query}`));
  const code = redirected.searchParams.get("code") ?? expect.unreachable(`no code in ${redirected}`);
  const body = new URLSearchParams({
    ...others,
    grant_type: "authorization_code",
    code,
    redirect_uri: REDIRECT_URI,
    client_id: client,
    code_verifier: verifier,
  });
  const response = await fetch(endpoints.token, { method: "POST", body });
  const { id_token, access_token } = Tokens.parse(await response.json());
  return { idToken: id_token, accessToken: access_token };
};

/** A browser without a window: keeps cookies and leaves redirects to the caller. */
export const newBrowser = () => {
  const cookies = new Map<string, string>();
  return async (url: string, form?: Readonly<Record<string, string>>): Promise<Response> => {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const request = form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) };
    const response = await fetch(url, { redirect: "manual", headers: { cookie }, ...request });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
};
