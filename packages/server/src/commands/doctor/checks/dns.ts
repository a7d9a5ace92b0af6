import dns, { type MxRecord } from "node:dns";
import { Resolver } from "node:dns/promises";
import { systemCode } from "../../../system-code.ts";

/** What c-ares says if a name exists without such records, or does not exist. */
const NONE: ReadonlySet<string> = new Set(["ENODATA", "ENOTFOUND"]);

const newResolver = (): Resolver => {
  // Two attempts of two seconds for each server; c-ares doubles the second one.
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  // Those of this process, which `setServers` may have changed; a new resolver would read the system's again. `setServers` also
  // replaces `dns.getServers`, but not its named import.
  resolver.setServers(dns.getServers());
  return resolver;
};

/** The records, none if there are none; or the reason why DNS did not say. */
type Answer<T> = { readonly records: readonly T[] } | { readonly unknown: string };

const ask = async <T>(query: (resolver: Resolver) => Promise<readonly T[]>): Promise<Answer<T>> => {
  try {
    return { records: await query(newResolver()) };
  } catch (error) {
    const code = systemCode(error);
    return NONE.has(code) ? { records: [] } : { unknown: code };
  }
};

/** The texts of a name, each put together from its parts. */
export const textsOf = (name: string): Promise<Answer<string>> =>
  ask(async (resolver) => (await resolver.resolveTxt(name)).map((parts) => parts.join("")));

export const mailServersOf = (name: string): Promise<Answer<MxRecord>> =>
  ask((resolver) => resolver.resolveMx(name));
