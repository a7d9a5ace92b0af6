import { Resolver } from "node:dns/promises";
import { BlockList, type LookupFunction } from "node:net";

/** The name has no addresses, or no name server answered in time. `code` is that of `node:dns`, such as `ENOTFOUND`. */
export class NotResolved extends Error {
  readonly code: unknown;

  constructor(cause: unknown) {
    super("the name could not be resolved");
    this.code = cause instanceof Error ? Reflect.get(cause, "code") : undefined;
  }
}

/** An address that is not public, although request-filtering-agent considers it public. */
export class NotPublic extends Error {}

/** Where IPv6 addresses are public: all others are reserved (RFC 4291, section 2.4), such as those that contain an IPv4 address. */
const PUBLIC_IPV6 = new BlockList();
PUBLIC_IPV6.addSubnet("2000::", 3, "ipv6");

/** Every virtual machine on Azure reaches the platform there, which gives it settings and credentials. */
const AZURE_PLATFORM = "168.63.129.16";

const isPublic = (address: string, family: 4 | 6): boolean =>
  family === 4 ? address !== AZURE_PLATFORM : PUBLIC_IPV6.check(address, "ipv6");

export type PublicLookup = {
  readonly lookup: LookupFunction;
  /** Ends the lookups under way. */
  close(): void;
};

/**
 * Looks up addresses with the name server at `server`, or the system's. `dns.lookup` would occupy a thread of Node's pool, which has
 * four, for as long as somebody's name server is silent.
 *
 * Unless private networks are allowed, it refuses addresses that request-filtering-agent wrongly considers public. All others are left
 * to that.
 *
 * @param withinMs how long a lookup takes at most if one name server is asked, in milliseconds
 * @throws TypeError if `server` is malformed
 */
export const publicLookup = (
  server: string | null,
  withinMs: number,
  allowPrivateNetworks: boolean,
): PublicLookup => {
  // Each attempt has twice the time of the one before.
  const resolver = new Resolver({ timeout: Math.ceil(withinMs / 7), tries: 3 });
  if (server !== null) resolver.setServers([server]);

  const addressesOf = async (name: string) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = [
      ...(v4.status === "fulfilled" ? v4.value : []).map((address) => ({ address, family: 4 }) as const),
      ...(v6.status === "fulfilled" ? v6.value : []).map((address) => ({ address, family: 6 }) as const),
    ];
    if (addresses.length === 0) throw new NotResolved(v4.status === "rejected" ? v4.reason : undefined);
    if (!allowPrivateNetworks && !addresses.every(({ address, family }) => isPublic(address, family)))
      throw new NotPublic("the address is not public");
    return addresses;
  };

  return {
    lookup: (name, _options, done) => {
      addressesOf(name).then(
        (addresses) => done(null, addresses),
        (error: Error) => done(error, []),
      );
    },
    close: () => resolver.cancel(),
  };
};
