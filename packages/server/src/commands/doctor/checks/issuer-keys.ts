import type { IssuerCheck } from "@postern/adapter-http";
import { ENV } from "../../../configuration/names.ts";
import { type Finding, fine, wrong } from "../check.ts";

export const ISSUER_KEYS = "issuer-keys";

const actionOf = (reason: string, { published, jwksUri }: IssuerCheck): string => {
  if (published.isOk() && published.value.jwksUri !== jwksUri) {
    return `Set ${ENV.jwksUri} to ${published.value.jwksUri}, which the issuer publishes`;
  }
  if (/^HTTP [34]/.test(reason)) {
    return `Correct ${ENV.issuer}; or, if the issuer's keys are elsewhere, set ${ENV.jwksUri} to the location that its documentation gives. Redirects are not followed`;
  }
  if (reason.startsWith("no key")) return "Have the issuer sign with RS256 and keys of at least 2048 bits";
  if (/CERT|SSL|TLS|ALTNAME/.test(reason)) {
    return "Its certificate is not trusted here: update this machine's certificates (ca-certificates), or set NODE_EXTRA_CA_CERTS for a private one";
  }
  return `Check ${ENV.issuer}, and that this machine may reach it (DNS, firewall, proxy): try curl. Keys fetched before work for 24 hours`;
};

/** Whether the issuer's keys can be fetched, and can verify tokens. */
export const issuerKeys = (report: IssuerCheck, by: "token" | "gateway"): Finding => {
  const { keys, jwksUri } = report;
  if (by === "gateway") return fine(ISSUER_KEYS, "not needed: the gateway verifies the signatures of tokens");
  if (keys.isOk()) return fine(ISSUER_KEYS, `keys for RS256: ${keys.value}, from ${jwksUri}`);
  const { reason } = keys.error;
  return wrong(ISSUER_KEYS, `no keys from ${jwksUri} (${reason})`, actionOf(reason, report));
};
