import { randomBytes, sha256, toBase64Url, utf8 } from "./bytes.ts";
import type { CallOptions, SignInClient } from "./client.ts";
import { isConfidential, sender, unexpected } from "./http.ts";
import { ask, discover, oauthRefusal } from "./openid.ts";
import type { SignedIn } from "./outcome.ts";
import { type Refusal, refused } from "./refusal.ts";
import { readTokens } from "./tokens.ts";

/** What `finishCodeFlow` needs. Plain data, which survives JSON. Only the browser, or the program, that began may have it. */
export type PendingCodeFlow = {
  readonly issuer: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** The secret of PKCE. */
  readonly verifier: string;
};

export type CodeFlowBegun = {
  readonly type: "begun";
  /** The provider's page, to which to send the person. */
  readonly url: string;
  /** Keep it until the person returns, for example in `sessionStorage`. */
  readonly pending: PendingCodeFlow;
};

export type CodeFlowRequest = {
  /** Where the provider sends the person back to, as registered there. HTTP only on this machine (`localhost`, `127.0.0.1`, `[::1]`). */
  readonly redirectUri: string;
  /** `openid` by default. Many providers give a refresh token only for `openid offline_access`. */
  readonly scope?: string | undefined;
  /** Further parameters of the provider's page, such as `login_hint` or `prompt`. */
  readonly parameters?: { readonly [name: string]: string } | undefined;
};

const secret = () => toBase64Url(randomBytes(32));

/**
 * Begins to sign somebody in at the provider's page: Cognito's, or that of any OpenID Connect provider, with the authorization code grant
 * and PKCE (RFC 7636, `S256`). The endpoints come from the issuer's discovery document.
 *
 * @example
 * ```ts
 * const begun = await beginCodeFlow({ issuer, clientId }, { redirectUri: "https://app.example.com/signed-in" });
 * if (begun.type === "begun") {
 *   sessionStorage.setItem("pending", JSON.stringify(begun.pending));
 *   location.assign(begun.url);
 * }
 * ```
 */
export const beginCodeFlow = async (
  client: SignInClient,
  { redirectUri, scope = "openid", parameters }: CodeFlowRequest,
  options: CallOptions = {},
): Promise<CodeFlowBegun | Refusal> => {
  // The URIs of apps, such as `com.example.app:/signed-in`, do not leave this machine either.
  const isAllowed = redirectUri.startsWith("http:") ? isConfidential(redirectUri) : URL.canParse(redirectUri);
  if (!isAllowed || redirectUri.includes("#")) {
    return refused(
      "invalid_input",
      "the redirect URI is neither HTTPS nor on this machine, or has a fragment",
    );
  }
  if (!crypto.subtle) return refused("not_supported", "pages without HTTPS have no WebCrypto");
  const endpoints = await discover(client, sender(client, options));
  if (endpoints.type === "refused") return endpoints;
  const pending = {
    issuer: client.issuer,
    redirectUri,
    state: secret(),
    nonce: secret(),
    verifier: secret(),
  };
  const url = new URL(endpoints.authorization);
  const query = {
    ...parameters,
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: redirectUri,
    scope,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: toBase64Url(await sha256(utf8(pending.verifier))),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return { type: "begun", url: url.href, pending };
};

/**
 * Finishes what `beginCodeFlow` began, when the person is back. Forget `pending` then: a code can be used once.
 *
 * `untrusted` means that the callback was not an answer to this sign-in, and may be somebody's attempt to sign the person in to another
 * account: `state`, `iss` (RFC 9207) or a claim of the ID token (`iss`, `aud`, `azp`, `nonce`) was wrong. No code is sent then.
 *
 * @param callback the address that the provider has sent the person to, with its query; `location.href` in a browser
 */
export const finishCodeFlow = async (
  client: SignInClient,
  pending: PendingCodeFlow,
  callback: string,
  options: CallOptions = {},
): Promise<SignedIn | Refusal> => {
  if (!URL.canParse(callback, pending.redirectUri))
    return refused("invalid_input", "the callback is no address");
  const { searchParams } = new URL(callback, pending.redirectUri);
  /** Null if it is missing, or there are several (RFC 6749, section 3.1). */
  const parameter = (name: string): string | null => {
    const [value, ...others] = searchParams.getAll(name);
    return value === undefined || others.length > 0 ? null : value;
  };
  if (pending.issuer !== client.issuer) return refused("untrusted", "the sign-in began at another issuer");
  if (parameter("state") !== pending.state)
    return refused("untrusted", "the callback is of another sign-in (state)");

  const send = sender(client, options);
  const endpoints = await discover(client, send);
  if (endpoints.type === "refused") return endpoints;
  if ((endpoints.namesItself || searchParams.has("iss")) && parameter("iss") !== client.issuer) {
    return refused("untrusted", "the callback is of another issuer (iss)");
  }
  const error = parameter("error");
  if (error !== null) return oauthRefusal(error, "expired");
  const code = parameter("code");
  if (code === null) return refused("untrusted", "the callback has neither a code nor an error");

  const askedAt = (client.clock ?? Date).now();
  const answer = await ask(
    client,
    send,
    endpoints.token,
    {
      grant_type: "authorization_code",
      code,
      redirect_uri: pending.redirectUri,
      code_verifier: pending.verifier,
    },
    "expired",
  );
  if (answer.type === "refused") return answer;
  if (answer.body === null) return unexpected(answer);
  return readTokens(client, answer.body, { askedAt, from: "code", nonce: pending.nonce });
};
