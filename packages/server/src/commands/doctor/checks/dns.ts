import dns from "node:dns";
import { Resolver } from "node:dns/promises";
import { ENV } from "../../../configuration/names.ts";
import { systemCode } from "../../../system/system-code.ts";
import { type Found, warning } from "../check.ts";

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

/** Judges the records of a name, of which there may be none. */
type Judge<T, Judged> = (records: readonly T[]) => Judged | Promise<Judged>;

/** Asks this DNS server, or the system's. If it does not answer, that is what was found. */
export const lookups = (server: string | undefined) => {
  const remedy =
    server === undefined
      ? "Check the DNS of this machine (/etc/resolv.conf)"
      : `Check ${ENV.dns}, and that the server there runs`;

  const ask = async <T, Judged>(
    name: string,
    queries: readonly ((resolver: Resolver) => Promise<readonly T[]>)[],
    judge: Judge<T, Judged>,
  ): Promise<Judged | Found> => {
    const answers = await Promise.allSettled(queries.map((query) => query(newResolver(server))));
    const records: T[] = [];
    for (const answer of answers) {
      if (answer.status === "fulfilled") records.push(...answer.value);
      else if (!NONE.has(systemCode(answer.reason)))
        return warning(`DNS lookup of ${name} failed (${systemCode(answer.reason)})`, remedy);
    }
    return judge(records);
  };

  return {
    /** The TXT records, each joined from its strings. */
    texts: <Judged>(name: string, judge: Judge<string, Judged>) =>
      ask(name, [async (dns) => (await dns.resolveTxt(name)).map((parts) => parts.join(""))], judge),

    /** The mail servers, of which a null MX record (RFC 7505) names one that is empty. */
    mailServers: <Judged>(name: string, judge: Judge<string, Judged>) =>
      ask(name, [async (dns) => (await dns.resolveMx(name)).map(({ exchange }) => exchange)], judge),

    /** The IPv4 and IPv6 addresses. */
    addresses: <Judged>(name: string, judge: Judge<string, Judged>) =>
      ask(name, [(dns) => dns.resolve4(name), (dns) => dns.resolve6(name)], judge),

    /** The names of an address. */
    names: <Judged>(address: string, judge: Judge<string, Judged>) =>
      ask(address, [(dns) => dns.reverse(address)], judge),
  };
};

export type Lookups = ReturnType<typeof lookups>;
