import { EmailAddress } from "@postern/core";
import { readVariables } from "../../../configuration/configuration.ts";
import { Variables } from "../../../configuration/variables.ts";
import { type Check, type Finding, fine, together, warning } from "../check.ts";
import { skipped } from "../skipped.ts";
import { textsOf } from "./dns.ts";

const NAME = "dns-sender";

const Needed = Variables.pick({ POSTERN_MAIL_FROM: true });

const notAsked = (domain: string, code: string): Finding =>
  warning(
    NAME,
    `DNS could not be asked for ${domain} (${code})`,
    "Check the DNS of this machine (/etc/resolv.conf)",
  );

const spf = async (domain: string): Promise<Finding> => {
  const answer = await textsOf(domain);
  if ("unknown" in answer) return notAsked(domain, answer.unknown);
  const policies = answer.records.filter((text) => /^v=spf1(?: |$)/i.test(text));
  if (policies.length === 1) return fine(NAME, `${domain} has SPF`);
  return policies.length === 0
    ? warning(
        NAME,
        `${domain} has no SPF record: messages can be refused or filed as spam`,
        "Publish a TXT record that begins with v=spf1 and allows the mail server of POSTERN_SMTP_URL",
      )
    : warning(NAME, `${domain} has ${policies.length} SPF records, so none counts`, "Merge them into one");
};

/** The domain and those above it that have at least two labels: their policies apply to it. */
const upwards = (domain: string): readonly string[] => {
  const labels = domain.split(".");
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join("."));
};

const dmarc = async (domain: string): Promise<Finding> => {
  const answers = await Promise.all(upwards(domain).map((each) => textsOf(`_dmarc.${each}`)));
  for (const answer of answers) {
    if ("unknown" in answer) return notAsked(`_dmarc.${domain}`, answer.unknown);
    if (answer.records.some((text) => /^v=DMARC1\s*(?:;|$)/i.test(text))) return fine(NAME, "and DMARC");
  }
  return warning(
    NAME,
    `${domain} has no DMARC record`,
    `Publish a TXT record at _dmarc.${domain}, at first v=DMARC1; p=none`,
  );
};

/** Whether the sender's domain has what mail servers expect. DKIM cannot be checked: the mail server chooses the selector. */
export const senderDomain: Check = {
  names: [NAME],
  run: async (environment) => {
    const read = readVariables(Needed, environment);
    if (read.isErr()) return skipped([NAME], read.error);
    const domain = EmailAddress.domain(read.value.POSTERN_MAIL_FROM);
    return [together(NAME, await Promise.all([spf(domain), dmarc(domain)]))];
  },
};
