import { PublishedVariables, publishedOf, readVariables } from "../../../../configuration/configuration.ts";
import { ENV } from "../../../../configuration/names.ts";
import { Variables } from "../../../../configuration/variables.ts";
import { isLocal } from "../../../../mail/is-local.ts";
import { type Finding, fine, together, warning } from "../../check.ts";
import { skipped } from "../../skipped.ts";
import { type Lookups, lookups } from "../dns.ts";
import { dmarc, notAsked, spf } from "../mail-policies.ts";
import { ifMailIsReceived } from "./if-mail-is-received.ts";

const SPF = "dns-spf";
const DMARC = "dns-dmarc";
const REVERSE = "dns-reverse";
const NAMES = [SPF, DMARC, REVERSE] as const;

const Needed = PublishedVariables.extend({ dns: Variables.shape.dns });

/** Whether this mail server's addresses resolve back to its name, which many servers demand of clients that deliver mail to them. */
const reverse = async (name: string, dns: Lookups): Promise<Finding> => {
  const addresses = await dns.addressesOf(name);
  if ("unknown" in addresses) return notAsked({ check: REVERSE, dns }, name, addresses.unknown);
  const found = await Promise.all(
    addresses.records.map(async (address) => {
      const names = await dns.namesOf(address);
      if ("unknown" in names) return notAsked({ check: REVERSE, dns }, address, names.unknown);
      if (names.records.some((each) => each.toLowerCase() === name))
        return fine(REVERSE, `${address} resolves to ${name}`);
      const instead =
        names.records.length === 0
          ? "has no PTR record"
          : `resolves to ${names.records.join(", ")}, not ${name}`;
      return warning(
        REVERSE,
        `${address} ${instead}: other servers refuse mail from it, or file it as spam`,
        `Have the provider of the address set its reverse name (PTR) to ${name}`,
      );
    }),
  );
  return found.length > 0
    ? together(REVERSE, found)
    : warning(REVERSE, `${name} has no address`, "See dns-alias-domains in this report");
};

/** Whether the alias domains meet what servers that receive forwarded mail expect of its sender. */
export const domainPolicies = ifMailIsReceived(NAMES, async (environment) => {
  const read = readVariables(Needed, environment);
  if (read.isErr()) return skipped(NAMES, read.error);
  const { aliasDomains, name, relayUrl } = publishedOf(read.value);
  const relay = URL.parse(relayUrl)?.hostname ?? "the relay";
  const dns = lookups(read.value.dns);
  const about = { relay: ENV.relayUrl, dns };
  const [policies, dmarcs, reversed] = await Promise.all([
    Promise.all(aliasDomains.map((domain) => spf(domain, { ...about, check: SPF }))),
    Promise.all(aliasDomains.map((domain) => dmarc(domain, { dns, check: DMARC }))),
    isLocal(relayUrl)
      ? reverse(name, dns)
      : fine(REVERSE, `not needed: ${relay} delivers the mail, not this machine`),
  ]);
  const spfs = together(SPF, policies);
  const sender = isLocal(relayUrl) ? "the addresses that this machine sends from" : `the relay ${relay}`;
  return [
    spfs.status === "ok" ? fine(SPF, `${spfs.found}; only you can tell whether it allows ${sender}`) : spfs,
    together(DMARC, dmarcs),
    reversed,
  ];
});
