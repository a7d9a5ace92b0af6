import { sha256, toBase64Url, utf8 } from "./bytes.ts";
import type { CallOptions, SignInClient } from "./client.ts";
import { calling, isConfidential } from "./http.ts";
import { textAt, valueAt } from "./json.ts";
import { meaningOf } from "./meaning.ts";
import { askEndpoint, discover } from "./openid.ts";
import type { SignedIn } from "./outcome.ts";
import { insist, type Refusal } from "./refusal.ts";
import { readTokens } from "./tokens.ts";

/** What `finishCodeFlow` needs. Plain data, which survives JSON. Only the browser, or the program, that began may have it. */
export type PendingCodeFlow = {
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

/** 244 random bits, in 72 characters that PKCE allows (RFC 7636, section 4.1). */
const secret = () => crypto.randomUUID() + crypto.randomUUID();

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
export const beginCodeFlow = (
  client: SignInClient,
  { redirectUri, scope = "openid", parameters }: CodeFlowRequest,
  options: CallOptions = {},
): Promise<CodeFlowBegun | Refusal> =>
  calling(client, options, async (call) => {
    insist(isConfidential(redirectUri), "invalid_input", "redirectUri");
    const page = textAt(await discover(call), "authorization_endpoint");
    insist(isConfidential(page), "misconfigured", "https");
    const pending = {
      redirectUri,
      state: secret(),
      nonce: secret(),
      verifier: secret(),
    };
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
    const separator = page.includes("?") ? "&" : "?";
    return { type: "begun", url: page + separator + new URLSearchParams(query), pending };
  });

/**
 * Finishes what `beginCodeFlow` began, when the person is back. Forget `pending` then: a code can be used once.
 *
 * `untrusted` means that the callback was not an answer to this sign-in, and may be somebody's attempt to sign the person in to another
 * account: `state`, `iss` (RFC 9207) or a claim of the ID token (`iss`, `aud`, `nonce`) was wrong. No code is sent then.
 *
 * @param callback the address that the provider has sent the person to, or the end of it that has the query; `location.href` in a browser
 */
export const finishCodeFlow = (
  client: SignInClient,
  { redirectUri, state, nonce, verifier }: PendingCodeFlow,
  callback: string,
  options: CallOptions = {},
): Promise<SignedIn | Refusal> =>
  calling(client, options, async (call) => {
    const parameters = new URLSearchParams(/\?([^#]*)/.exec(callback)?.[1]);
    /** Empty if it is missing. Two are joined, and so are neither (RFC 6749, section 3.1). */
    const parameter = (name: string): string => parameters.getAll(name).join();
    insist(parameter("state") === state, "untrusted", "state");
    const provider = await discover(call);
    const iss = parameter("iss");
    // Providers that do not say that they name themselves can do so (RFC 9207, section 2.4).
    const isNameless = !iss && !valueAt(provider, "authorization_response_iss_parameter_supported");
    insist(isNameless || iss === client.issuer, "untrusted", "iss");
    const error = parameter("error");
    if (error) throw meaningOf(error, "", "expired");
    const code = parameter("code");
    insist(code, "untrusted", "code");
    const grant = {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    };
    const answer = await askEndpoint(call, provider, "token_endpoint", grant, "expired");
    return readTokens(call, answer, "code", { nonce });
  });
