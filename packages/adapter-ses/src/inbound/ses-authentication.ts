import type { Authentication, Verdict } from "@postern/mail";
import { type ArrivedMessage, authenticate, type Checked, type Lookup } from "@postern/mail-in";
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

const noRecords: Lookup = () =>
  Promise.reject(Object.assign(new Error("names are not looked up"), { code: "ENODATA" }));

/**
 * Finds out who sent a message that SES has checked. SPF and DMARC are as SES says, which knows the client. But SES does not say for which
 * domain, nor what a signature covers. So what a reply needs (`Alignment`) is our own check without a client: a reply must be signed by its
 * author's domain (DKIM), and SPF alone does not do. ARC is not checked.
 *
 * @param lookup asked for replies only: name servers that do not answer, which any sender can have, would hold up all other mail
 */
export const authenticatedBySes = async (
  message: ArrivedMessage,
  {
    isReply,
    said,
    name,
    lookup,
  }: {
    readonly isReply: boolean;
    readonly said: SesVerdicts;
    /** This server's name. */
    readonly name: string;
    readonly lookup: Lookup;
  },
): Promise<Checked> => {
  const own = await authenticate(message, name, isReply ? lookup : noRecords);
  // There is no domain that SES could have checked, or our check has failed as a whole.
  if (own.authentication.authorDomain === null) return own;
  const [spf, dkim, dmarc] = [verdictOf(said.spf), verdictOf(said.dkim), verdictOf(said.dmarc)];
  return {
    authentication: {
      ...own.authentication,
      spf,
      dmarc: { verdict: dmarc, policy: policyOf(said.dmarcPolicy) },
      arc: "none",
      results: `spf=${spf}; dkim=${dkim}; dmarc=${dmarc}`,
    },
    alignment: own.alignment,
  };
};
