import { type Answer, ask, type Call } from "./http.ts";
import { insist, type RefusalCode } from "./refusal.ts";

/**
 * The address of a user pool's API, and the part of the pool's id that SRP needs.
 *
 * @throws Refusal if the issuer is not a user pool
 */
export const poolOf = ({ issuer }: Call): readonly [endpoint: string, pool: string] => {
  const [, endpoint, pool] = /^(https?:\/\/[^/?#]+\/)[\w-]+_(\w+)$/.exec(issuer) ?? [];
  insist(endpoint && pool, "misconfigured", "issuer");
  return [endpoint, pool];
};

/**
 * Calls an operation of Cognito's API that needs no credentials of AWS.
 *
 * @param notAuthorized what NotAuthorizedException and UserNotFoundException mean
 * @throws Refusal
 */
export const callCognito = (
  call: Call,
  operation: string,
  request: object,
  notAuthorized: RefusalCode,
): Promise<Answer> => {
  const headers = {
    "content-type": "application/x-amz-json-1.1",
    "x-amz-target": `AWSCognitoIdentityProviderService.${operation}`,
  };
  const body = JSON.stringify({ ClientId: call.clientId, ...request });
  const [endpoint] = poolOf(call);
  return ask(call, endpoint, { headers, body }, notAuthorized);
};
