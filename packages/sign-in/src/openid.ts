import { type Answer, ask, type Call, unexpected } from "./http.ts";
import { type Json, textAt } from "./json.ts";
import { insist, type RefusalCode, refused } from "./refusal.ts";

/**
 * The issuer's discovery document, in which its endpoints are (OpenID Connect Discovery 1.0, section 4).
 *
 * @throws Refusal
 */
export const discover = async ({ issuer, send }: Call): Promise<Json> => {
  const answer = await send(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
  const named = textAt(answer.body, "issuer");
  if (named === issuer) return answer.body;
  throw named || answer.status === 404 ? refused("misconfigured", "issuer") : unexpected(answer);
};

/**
 * Asks an endpoint of the issuer as a public client: one that proves nothing but its id.
 *
 * @param provider the discovery document
 * @param invalidGrant what it means that the code or the refresh token is not valid
 * @throws Refusal
 */
export const askEndpoint = (
  call: Call,
  provider: Json,
  endpoint: string,
  parameters: { readonly [name: string]: string },
  invalidGrant: RefusalCode,
): Promise<Answer> => {
  const url = textAt(provider, endpoint);
  insist(url, "not_supported", endpoint);
  const body = new URLSearchParams({ ...parameters, client_id: call.clientId });
  return ask(call, url, { body }, invalidGrant);
};
