import { readVariables } from "../../../configuration/configuration.ts";
import { Variables } from "../../../configuration/variables.ts";
import { type Check, type Finding, fine, together, warning } from "../check.ts";
import { skipped } from "../skipped.ts";
import { mailServersOf } from "./dns.ts";

const NAME = "dns-alias-domains";

const Needed = Variables.pick({ POSTERN_ALIAS_DOMAINS: true });

const check = async (domain: string): Promise<Finding> => {
  const answer = await mailServersOf(domain);
  if ("unknown" in answer) {
    return warning(
      NAME,
      `DNS could not be asked for ${domain} (${answer.unknown})`,
      "Check the DNS of this machine (/etc/resolv.conf)",
    );
  }
  // A single empty name says that the domain accepts no mail (RFC 7505).
  const servers = answer.records.filter(({ exchange }) => exchange !== "");
  if (servers.length === 0) {
    return warning(
      NAME,
      `${domain} has no MX record: mail to its aliases goes nowhere`,
      "Publish an MX record that names your mail server",
    );
  }
  return fine(NAME, `${domain} has MX ${servers.map(({ exchange }) => exchange).join(", ")}`);
};

/** Whether mail to aliases would be delivered anywhere. */
export const aliasDomains: Check = {
  names: [NAME],
  run: async (environment) => {
    const read = readVariables(Needed, environment);
    if (read.isErr()) return skipped([NAME], read.error);
    return [together(NAME, await Promise.all([...read.value.POSTERN_ALIAS_DOMAINS].map(check)))];
  },
};
