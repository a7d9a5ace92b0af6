import type { SignInClient } from "./client.ts";
import { type Answer, errorName, isConfidential, type Send, unexpected } from "./http.ts";
import { textOf } from "./json.ts";
import { type Refusal, type RefusalCode, refused } from "./refusal.ts";

export type Endpoints = {
  readonly type: "endpoints";
  readonly authorization: string;
  readonly token: string;
  /** Empty if the provider has none. */
  readonly revocation: string;
  /** Whether what the provider sends to the redirect URI must name it (RFC 9207, section 3). */
  readonly namesItself: boolean;
};

/** The issuer's endpoints (OpenID Connect Discovery 1.0, section 4). */
export const discover = async ({ issuer }: SignInClient, send: Send): Promise<Endpoints | Refusal> => {
  if (!isConfidential(issuer)) return refused("misconfigured", "the issuer is not an HTTPS address");
  const answer = await send(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
  if (answer.type === "refused") return answer;
  const { status, body } = answer;
  if (status >= 400 && status < 500 && status !== 429)
    return refused("misconfigured", "the issuer has no discovery document");
  if (status !== 200 || body === null) return unexpected(answer);
  if (body["issuer"] !== issuer)
    return refused("misconfigured", "the discovery document is of another issuer");
  const endpoints: Endpoints = {
    type: "endpoints",
    authorization: textOf(body, "authorization_endpoint"),
    token: textOf(body, "token_endpoint"),
    revocation: textOf(body, "revocation_endpoint"),
    namesItself: body["authorization_response_iss_parameter_supported"] === true,
  };
  return isConfidential(endpoints.authorization) && isConfidential(endpoints.token)
    ? endpoints
    : refused("misconfigured", "an endpoint is not an HTTPS address");
};

/** The errors of OAuth (RFC 6749, sections 4.1.2.1 and 5.2) and of OpenID Connect (Core 1.0, section 3.1.2.6). */
const CODES: { readonly [error: string]: RefusalCode } = {
  access_denied: "denied",
  account_selection_required: "denied",
  consent_required: "denied",
  interaction_required: "denied",
  login_required: "denied",
  server_error: "unreachable",
  slow_down: "too_many_attempts",
  temporarily_unavailable: "unreachable",
};

/** @param invalidGrant what it means that the code or the refresh token is not valid */
export const oauthRefusal = (error: string, invalidGrant: RefusalCode): Refusal => {
  const name = errorName(error) || "error";
  return refused(name === "invalid_grant" ? invalidGrant : (CODES[name] ?? "misconfigured"), name);
};

/** Asks an endpoint as a public client: one that proves nothing but its id. */
export const ask = async (
  { clientId }: SignInClient,
  send: Send,
  endpoint: string,
  parameters: { readonly [name: string]: string },
  invalidGrant: RefusalCode,
): Promise<Answer | Refusal> => {
  const answer = await send(endpoint, { body: new URLSearchParams({ ...parameters, client_id: clientId }) });
  if (answer.type === "refused" || answer.status < 300) return answer;
  const error = textOf(answer.body, "error");
  return error === "" || answer.status >= 500 ? unexpected(answer) : oauthRefusal(error, invalidGrant);
};
