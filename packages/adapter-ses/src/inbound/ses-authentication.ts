import type { Authentication, Verdict } from "@postern/mail";
import type { Checked } from "@postern/mail-in";
import type { SesVerdicts } from "./ses-notification.ts";

const VERDICTS: ReadonlyMap<string | null, Verdict> = new Map([
  ["PASS", "pass"],
  ["FAIL", "fail"],
  ["GRAY", "none"],
]);

/** What is missing or unknown, such as `PROCESSING_FAILED`, says as little as a check that failed. */
const verdictOf = (said: string | null): Verdict => VERDICTS.get(said) ?? "temperror";

const policyOf = (policy: string | null): Authentication["dmarc"]["policy"] =>
  policy === "reject" || policy === "quarantine" ? policy : "none";

/**
 * What is known about the sender of a message that SES has checked. SPF and DMARC are as SES says, which knows the client. But SES does not
 * say for which domain, nor what a signature covers, so what a reply needs (`Alignment`) and the author are as in `own`, our own check
 * without a client: a reply must be signed by its author's domain (DKIM), and SPF alone does not do.
 */
export const checkedBySes = (own: Checked, said: SesVerdicts): Checked => {
  // There is no domain that SES could have checked, or our check has failed as a whole.
  if (own.authentication.authorDomain === null) return own;
  const [spf, dkim, dmarc] = [verdictOf(said.spf), verdictOf(said.dkim), verdictOf(said.dmarc)];
  return {
    authentication: {
      ...own.authentication,
      spf,
      dmarc: { verdict: dmarc, policy: policyOf(said.dmarcPolicy) },
      results: `spf=${spf}; dkim=${dkim}; dmarc=${dmarc}`,
    },
    alignment: own.alignment,
  };
};
