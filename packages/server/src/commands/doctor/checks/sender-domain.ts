import { EmailAddress } from "@postern/core";
import { readVariables } from "../../../configuration/configuration.ts";
import { ENV } from "../../../configuration/names.ts";
import { Variables } from "../../../configuration/variables.ts";
import { type Check, together } from "../check.ts";
import { skipped } from "../skipped.ts";
import { lookups } from "./dns.ts";
import { dmarc, spf } from "./mail-policies.ts";

const NAME = "dns-sender";

const Needed = Variables.pick({ mailFrom: true, dns: true });

/** Whether the sender's domain has what mail servers expect. DKIM cannot be checked: the mail server chooses the selector. */
export const senderDomain: Check = {
  names: [NAME],
  run: async (environment) => {
    const read = readVariables(Needed, environment);
    if (read.isErr()) return skipped([NAME], read.error);
    const domain = EmailAddress.domain(read.value.mailFrom);
    const about = { check: NAME, relay: ENV.smtpUrl, dns: lookups(read.value.dns) };
    return [together(NAME, await Promise.all([spf(domain, about), dmarc(domain, about)]))];
  },
};
