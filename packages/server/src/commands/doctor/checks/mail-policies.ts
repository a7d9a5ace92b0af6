import { type Finding, fine, warning, wrong } from "../check.ts";
import type { Lookups } from "./dns.ts";

/**
 * For findings about a domain that mail is sent from: `check` is the name of the check, `relay` the variable of the server that sends it.
 */
type About = { readonly check: string; readonly relay: string; readonly dns: Lookups };

/** DNS did not answer. */
export const notAsked = (
  { check, dns: { remedy } }: Pick<About, "check" | "dns">,
  domain: string,
  code: string,
): Finding => warning(check, `DNS lookup of ${domain} failed (${code})`, remedy);

/** Whether the domain has one SPF record. Nobody can tell from outside whether it allows the right servers. */
export const spf = async (domain: string, about: About): Promise<Finding> => {
  const { check, relay, dns } = about;
  const answer = await dns.textsOf(domain);
  if ("unknown" in answer) return notAsked(about, domain, answer.unknown);
  const policies = answer.records.filter((text) => /^v=spf1(?: |$)/i.test(text));
  if (policies.some((text) => /^v=spf1 +-all *$/i.test(text))) {
    return wrong(
      check,
      `the SPF record of ${domain} says that nobody may send for it: messages are refused`,
      `Allow the mail server of ${relay} in it`,
    );
  }
  if (policies.length === 1) return fine(check, `${domain} has SPF`);
  return policies.length === 0
    ? warning(
        check,
        `${domain} has no SPF record: messages can be refused or filed as spam`,
        `Publish a TXT record that begins with v=spf1 and allows the mail server of ${relay}`,
      )
    : warning(
        check,
        `${domain} has ${policies.length} SPF records, so none of them counts`,
        "Merge them into one",
      );
};

/** The domain and all parents of it with at least two labels: their policies apply to it. */
const upwards = (domain: string): readonly string[] => {
  const labels = domain.split(".");
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join("."));
};

/** Whether the domain, or one of its parents, has exactly one DMARC record. */
export const dmarc = async (domain: string, about: Omit<About, "relay">): Promise<Finding> => {
  const { check, dns } = about;
  const names = upwards(domain).map((each) => `_dmarc.${each}`);
  const found = await Promise.all(names.map(async (name) => ({ name, answer: await dns.textsOf(name) })));
  for (const { name, answer } of found) {
    if ("unknown" in answer) return notAsked(about, name, answer.unknown);
    const policies = answer.records.filter((text) => /^v=DMARC1\s*(?:;|$)/i.test(text));
    if (policies.length === 1) return fine(check, `${domain} has DMARC`);
    if (policies.length > 1) {
      return warning(
        check,
        `there are ${policies.length} DMARC records at ${name}, so none of them counts`,
        "Remove all but one of them",
      );
    }
  }
  return warning(
    check,
    `${domain} has no DMARC record`,
    `Publish a TXT record at _dmarc.${domain}, at first v=DMARC1; p=none`,
  );
};
