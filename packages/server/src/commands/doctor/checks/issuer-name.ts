import type { IssuerCheck } from "@postern/adapter-http";
import { type Finding, fine, warning, wrong } from "../check.ts";

export const ISSUER = "issuer";

/** Whether the issuer calls itself exactly what the server expects in tokens. */
export const issuerName = (
  { published, jwksUri, keys }: IssuerCheck,
  configured: string,
  by: "token" | "gateway",
): Finding => {
  if (published.isErr()) {
    const { reason } = published.error;
    if (/^HTTP 4|^not a/.test(reason)) {
      return fine(ISSUER, `it publishes no openid-configuration with which POSTERN_ISSUER could be compared`);
    }
    return warning(
      ISSUER,
      `POSTERN_ISSUER could not be compared with the issuer's openid-configuration (${reason})`,
      "Check POSTERN_ISSUER, and that this machine may reach it",
    );
  }
  const { issuer, jwksUri: publishedUri } = published.value;
  if (issuer !== configured) {
    const slash = `${configured}/` === issuer || configured === `${issuer}/`;
    return wrong(
      ISSUER,
      `the issuer calls itself ${issuer}, but POSTERN_ISSUER is ${configured}${slash ? " (the slash at the end counts)" : ""}: tokens are refused`,
      "Set POSTERN_ISSUER to exactly what the issuer calls itself: it is the iss claim of its tokens",
    );
  }
  if (publishedUri !== jwksUri && by === "token") {
    // If there are none at all, the check of the keys says what to do.
    const found = `the issuer publishes its keys at ${publishedUri}, but they are fetched from ${jwksUri}`;
    if (keys.isOk())
      return warning(ISSUER, found, "Set POSTERN_JWKS_URI to what it publishes, unless this is on purpose");
  }
  return fine(ISSUER, `it calls itself ${issuer}, as POSTERN_ISSUER does`);
};
