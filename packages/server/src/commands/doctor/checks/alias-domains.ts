import type * as z from "zod";
import { ENV } from "../../../configuration/names.ts";
import { Variables } from "../../../configuration/variables.ts";
import { checkOf, type Found, fine, together, warning, wrong } from "../check.ts";
import { type Lookups, lookups } from "./dns.ts";

const Needed = Variables.pick({ aliasDomains: true, mxPort: true, mxName: true, dns: true });

const PUBLISH = "`mail records` prints what to publish";

/** Whether mail to aliases on this domain would be delivered anywhere, and, if this server receives mail, whether here. */
const delivered = (domain: string, { mxPort, mxName }: z.output<typeof Needed>, dns: Lookups) =>
  dns.mailServers(domain, (records): Found => {
    // A null MX record (RFC 7505) names nothing.
    const servers = records.filter((server) => server !== "");
    if (servers.length === 0) {
      const found = `${domain} has no MX record that names a mail server: mail to its aliases goes nowhere, or to its own address`;
      return mxPort === undefined
        ? warning(found, "Publish an MX record that names your mail server")
        : wrong(found, PUBLISH);
    }
    const found = `${domain} has MX ${servers.join(", ")}`;
    return mxPort === undefined ||
      mxName === undefined ||
      servers.some((each) => each.toLowerCase() === mxName)
      ? fine(found)
      : wrong(`${found}, not ${mxName}: mail to its aliases does not reach this server`, PUBLISH);
  });

/** Whether mail servers can find this one. */
const named = (name: string, dns: Lookups) =>
  dns.addresses(name, (addresses) =>
    addresses.length > 0
      ? fine(`${name} has the address ${addresses.join(", ")}`)
      : wrong(
          `${name} (${ENV.mxName}) has no address: mail servers cannot find it`,
          "Publish an A record with the public address of this machine",
        ),
  );

export const aliasDomains = checkOf({
  names: ["dns-alias-domains"],
  variables: Needed,
  run: async (values) => {
    const { aliasDomains, mxPort, mxName } = values;
    const dns = lookups(values.dns);
    const found = aliasDomains.map((domain) => delivered(domain, values, dns));
    if (mxPort !== undefined && mxName !== undefined) found.push(named(mxName, dns));
    return { "dns-alias-domains": together(...(await Promise.all(found))) };
  },
});
