import type { IssuerCheck } from "@postern/adapter-http";
import { ENV } from "../../../configuration/names.ts";
import { type Finding, fine, warning, wrong } from "../check.ts";

export const ISSUER = "issuer";

/** Whether the issuer calls itself exactly what the server expects in tokens. */
export const issuerName = (
  { published, jwksUri, keys }: IssuerCheck,
  configured: string,
  { by, keysElsewhere }: { readonly by: "token" | "gateway"; readonly keysElsewhere: boolean },
): Finding => {
  if (published.isErr()) {
    const { reason } = published.error;
    if (/^HTTP 4|^not a/.test(reason)) {
      // Keys found under POSTERN_ISSUER show that it is an issuer. Keys from elsewhere say nothing about it.
      if (keysElsewhere && by === "token") {
        return warning(
          ISSUER,
          `nothing shows that ${ENV.issuer} is right: it publishes no openid-configuration, and its keys come from ${ENV.jwksUri}`,
          `Compare ${ENV.issuer} with the iss claim of a token: all others are refused`,
        );
      }
      return fine(ISSUER, `it publishes no openid-configuration to compare ${ENV.issuer} with`);
    }
    return warning(
      ISSUER,
      `${ENV.issuer} could not be compared with the issuer's openid-configuration (${reason})`,
      `Check ${ENV.issuer}, and that this machine may reach it`,
    );
  }
  const { issuer, jwksUri: publishedUri } = published.value;
  if (issuer !== configured) {
    const calls = `the issuer calls itself ${issuer}, but ${ENV.issuer} is ${configured}`;
    const action = `Set ${ENV.issuer} to exactly the iss claim of its tokens, which is what an issuer should call itself`;
    if (`${configured}/` === issuer || configured === `${issuer}/`) {
      return wrong(ISSUER, `${calls} (the slash at the end counts): tokens are refused`, action);
    }
    // Some stand-ins for issuers publish a different name than the one in their tokens.
    return warning(ISSUER, `${calls}: tokens are accepted only if they name ${ENV.issuer}`, action);
  }
  if (publishedUri !== jwksUri && by === "token") {
    // If there are no keys at all, the check of the keys says what to do.
    const found = `the issuer publishes its keys at ${publishedUri}, but they are fetched from ${jwksUri}`;
    if (keys.isOk())
      return warning(ISSUER, found, `Set ${ENV.jwksUri} to what it publishes, unless this is intentional`);
  }
  return fine(ISSUER, `calls itself ${issuer}, which matches ${ENV.issuer}`);
};
