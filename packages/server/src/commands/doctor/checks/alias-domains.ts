import type * as z from "zod";
import { readVariables } from "../../../configuration/configuration.ts";
import { ENV } from "../../../configuration/names.ts";
import { Variables } from "../../../configuration/variables.ts";
import { type Check, type Finding, fine, together, warning, wrong } from "../check.ts";
import { skipped } from "../skipped.ts";
import { lookups } from "./dns.ts";
import { notAsked } from "./mail-policies.ts";

const NAME = "dns-alias-domains";

const Needed = Variables.pick({
  aliasDomains: true,
  mxPort: true,
  mxName: true,
  dns: true,
});

type About = z.output<typeof Needed>;

const PUBLISH = "`mail records` prints what to publish";

/** Mail does not reach this server, which is wrong if the server receives mail. */
const unreachable = ({ mxPort: port }: About, found: string): Finding =>
  port === undefined
    ? warning(NAME, found, "Publish an MX record that names your mail server")
    : wrong(NAME, found, PUBLISH);

/** Without an MX record, mail to a domain goes to the domain's own address (RFC 5321, section 5.1). */
const checkAddress = async (domain: string, about: About): Promise<Finding> => {
  const { mxName: name, dns: server } = about;
  const dns = lookups(server);
  const addresses = await dns.addressesOf(domain);
  if ("unknown" in addresses) return notAsked({ check: NAME, dns }, domain, addresses.unknown);
  if (addresses.records.length === 0)
    return unreachable(about, `${domain} has no MX record: mail to its aliases cannot be delivered`);
  const found = `${domain} has no MX record: mail to its aliases goes to its address, ${addresses.records.join(", ")}`;
  if (name === undefined) return unreachable(about, found);
  const own = await dns.addressesOf(name);
  if ("unknown" in own) return notAsked({ check: NAME, dns }, name, own.unknown);
  const isHere = addresses.records.some((address) => own.records.includes(address));
  return isHere ? warning(NAME, found, PUBLISH) : unreachable(about, `${found}, which ${name} does not have`);
};

const check = async (domain: string, about: About): Promise<Finding> => {
  const { mxPort: port, mxName: name, dns: server } = about;
  const dns = lookups(server);
  const answer = await dns.mailServersOf(domain);
  if ("unknown" in answer) return notAsked({ check: NAME, dns }, domain, answer.unknown);
  if (answer.records.length === 0) return checkAddress(domain, about);
  const servers = answer.records.map(({ exchange }) => exchange).filter((exchange) => exchange !== "");
  if (servers.length === 0)
    return unreachable(
      about,
      `${domain} has a null MX record (RFC 7505): mail to its aliases cannot be delivered`,
    );
  const found = `${domain} has MX ${servers.join(", ")}`;
  return port === undefined || name === undefined || servers.some((each) => each.toLowerCase() === name)
    ? fine(NAME, found)
    : wrong(NAME, `${found}, not ${name}: mail to its aliases does not reach this server`, PUBLISH);
};

/** Whether the name for MX records (`POSTERN_MX_NAME`) has an address. */
const checkName = async ({ mxPort: port, mxName: name, dns: server }: About) => {
  if (port === undefined || name === undefined) return [];
  const dns = lookups(server);
  const answer = await dns.addressesOf(name);
  if ("unknown" in answer) return [notAsked({ check: NAME, dns }, name, answer.unknown)];
  return answer.records.length > 0
    ? [fine(NAME, `${name} has the address ${answer.records.join(", ")}`)]
    : [
        wrong(
          NAME,
          `${name} (${ENV.mxName}) has no address: mail servers cannot find it`,
          "Publish an A record with the public address of this machine",
        ),
      ];
};

/** Whether mail to aliases would be delivered anywhere, and, if this server receives mail, whether it would be delivered here. */
export const aliasDomains: Check = {
  names: [NAME],
  run: async (environment) => {
    const read = readVariables(Needed, environment);
    if (read.isErr()) return skipped([NAME], read.error);
    const { aliasDomains: domains } = read.value;
    const [found, name] = await Promise.all([
      Promise.all(domains.map((domain) => check(domain, read.value))),
      checkName(read.value),
    ]);
    return [together(NAME, [...found, ...name])];
  },
};
