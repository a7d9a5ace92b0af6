import { EmailAddress } from "@postern/core";
import { PublishedVariables, publishedOf } from "../../../configuration/configuration.ts";
import { ENV } from "../../../configuration/names.ts";
import { parseSesUrl } from "../../../configuration/ses-url.ts";
import { Variables } from "../../../configuration/variables.ts";
import { isLocal } from "../../../mail-identity/is-local.ts";
import { checkOf, type Found, fine, together, warning, wrong } from "../check.ts";
import { type Lookups, lookups } from "./dns.ts";

/**
 * Whether the domain has one SPF record. Nobody can tell from outside whether it allows the right servers.
 *
 * @param relay the variable of the server that sends mail from it
 */
const spf = (domain: string, relay: string, dns: Lookups): Promise<Found> =>
  dns.texts(domain, (texts) => {
    const policies = texts.filter((text) => /^v=spf1(?: |$)/i.test(text));
    if (policies.some((text) => /^v=spf1 +-all *$/i.test(text))) {
      return wrong(
        `the SPF record of ${domain} says that nobody may send for it: messages are refused`,
        `Allow the mail server of ${relay} in it`,
      );
    }
    if (policies.length === 1) return fine(`${domain} has SPF`);
    return policies.length === 0
      ? warning(
          `${domain} has no SPF record: messages can be refused or filed as spam`,
          `Publish a TXT record that begins with v=spf1 and allows the mail server of ${relay}`,
        )
      : warning(
          `${domain} has ${policies.length} SPF records, so none of them counts`,
          "Merge them into one",
        );
  });

/** The domain and all parents of it with at least two labels: their policies apply to it. */
const upwards = (domain: string): readonly string[] => {
  const labels = domain.split(".");
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join("."));
};

/** Whether the domain, or one of its parents, has exactly one DMARC record. */
const dmarc = async (domain: string, dns: Lookups): Promise<Found> => {
  const policyAt = (name: string): Promise<Found | null> =>
    dns.texts(name, (texts) => {
      const policies = texts.filter((text) => /^v=DMARC1\s*(?:;|$)/i.test(text));
      if (policies.length === 0) return null;
      return policies.length === 1
        ? fine(`${domain} has DMARC`)
        : warning(
            `there are ${policies.length} DMARC records at ${name}, so none of them counts`,
            "Remove all but one of them",
          );
    });
  const found = await Promise.all(upwards(domain).map((each) => policyAt(`_dmarc.${each}`)));
  return (
    found.find((each) => each !== null) ??
    warning(
      `${domain} has no DMARC record`,
      `Publish a TXT record at _dmarc.${domain}, at first v=DMARC1; p=none`,
    )
  );
};

/** Whether the address resolves back to this mail server's name, which many servers demand of clients that deliver mail to them. */
const named = (address: string, name: string, dns: Lookups): Promise<Found> =>
  dns.names(address, (names) => {
    if (names.some((each) => each.toLowerCase() === name)) return fine(`${address} resolves to ${name}`);
    const instead = names.length === 0 ? "has no PTR record" : `resolves to ${names.join(", ")}, not ${name}`;
    return warning(
      `${address} ${instead}: other servers refuse mail from it, or file it as spam`,
      `Have the provider of the address set its reverse name (PTR) to ${name}`,
    );
  });

const reverse = (name: string, dns: Lookups): Promise<Found> =>
  dns.addresses(name, async (addresses) =>
    addresses.length === 0
      ? warning(`${name} has no address`, "See dns-alias-domains in this report")
      : together(...(await Promise.all(addresses.map((address) => named(address, name, dns))))),
  );

/** Whether the sender's domain has what mail servers expect. DKIM cannot be checked: the mail server chooses the selector. */
export const senderDomain = checkOf({
  names: ["dns-sender"],
  variables: Variables.pick({ mailFrom: true, smtpUrl: true, dns: true }),
  run: async ({ mailFrom, smtpUrl, dns: server }) => {
    const domain = EmailAddress.domain(mailFrom);
    const dns = lookups(server);
    // SES sends from a domain of its own, or checks the one that it was given (`lacksMailFrom`).
    const needsSpf = parseSesUrl(smtpUrl) === null;
    const found = await Promise.all([
      ...(needsSpf ? [spf(domain, ENV.smtpUrl, dns)] : []),
      dmarc(domain, dns),
    ]);
    return { "dns-sender": together(...found) };
  },
});

/** Whether the alias domains meet what servers that receive forwarded mail expect of its sender. */
export const domainPolicies = checkOf({
  names: ["dns-spf", "dns-dmarc", "dns-reverse"],
  variables: PublishedVariables.safeExtend({ dns: Variables.shape.dns }),
  run: async (values) => {
    const { aliasDomains, name, relayUrl } = publishedOf(values);
    const relay = URL.parse(relayUrl)?.hostname ?? "the relay";
    const dns = lookups(values.dns);
    const [spfs, dmarcs, reversed] = await Promise.all([
      Promise.all(aliasDomains.map((domain) => spf(domain, ENV.relayUrl, dns))),
      Promise.all(aliasDomains.map((domain) => dmarc(domain, dns))),
      isLocal(relayUrl)
        ? reverse(name, dns)
        : fine(`not needed: ${relay} delivers the mail, not this machine`),
    ]);
    const sender = isLocal(relayUrl) ? "the addresses that this machine sends from" : `the relay ${relay}`;
    const allSpf = together(...spfs);
    return {
      "dns-spf":
        allSpf.status === "ok"
          ? fine(`${allSpf.found}; only you can tell whether it allows ${sender}`)
          : allSpf,
      "dns-dmarc": together(...dmarcs),
      "dns-reverse": reversed,
    };
  },
});
