import dns, { type MxRecord } from "node:dns";
import { Resolver } from "node:dns/promises";
import { ENV } from "../../../configuration/names.ts";
import { systemCode } from "../../../system-code.ts";

/** The c-ares codes for a name that has no such records, or does not exist. */
const NONE: ReadonlySet<string> = new Set(["ENODATA", "ENOTFOUND"]);

const newResolver = (server: string | undefined): Resolver => {
  // Two attempts for each server, of 1.5 and 3 seconds: c-ares doubles the timeout.
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  // The servers of this process, which `setServers` may have changed; a new resolver would read the system's again.
  // `setServers` also replaces `dns.getServers`, but not its named import.
  resolver.setServers(server === undefined ? dns.getServers() : [server]);
  return resolver;
};

/** The records (possibly none), or the reason why DNS did not answer. */
type Answer<T> = { readonly records: readonly T[] } | { readonly unknown: string };

/** Asks this DNS server, or the system's. */
export const lookups = (server: string | undefined) => {
  const ask = async <T>(query: (resolver: Resolver) => Promise<readonly T[]>): Promise<Answer<T>> => {
    try {
      return { records: await query(newResolver(server)) };
    } catch (error) {
      const code = systemCode(error);
      return NONE.has(code) ? { records: [] } : { unknown: code };
    }
  };
  return {
    /** The TXT records of a name, each joined from its strings. */
    textsOf: (name: string): Promise<Answer<string>> =>
      ask(async (resolver) => (await resolver.resolveTxt(name)).map((parts) => parts.join(""))),

    mailServersOf: (name: string): Promise<Answer<MxRecord>> => ask((resolver) => resolver.resolveMx(name)),

    /** The IPv4 and IPv6 addresses of a name. */
    addressesOf: async (name: string): Promise<Answer<string>> => {
      const [four, six] = await Promise.all([
        ask((resolver) => resolver.resolve4(name)),
        ask((resolver) => resolver.resolve6(name)),
      ]);
      if ("unknown" in four) return four;
      return "unknown" in six ? six : { records: [...four.records, ...six.records] };
    },

    /** The names of an address. */
    namesOf: (address: string): Promise<Answer<string>> => ask((resolver) => resolver.reverse(address)),

    /** What to do if DNS does not answer. */
    remedy:
      server === undefined
        ? "Check the DNS of this machine (/etc/resolv.conf)"
        : `Check ${ENV.dns}, and that the server there runs`,
  };
};

export type Lookups = ReturnType<typeof lookups>;
