import { BlockList, isIPv6 } from "node:net";

/**
 * The network of a client, which is what limits apply to: its address, or the first four groups of an IPv6 address, written out, because
 * anyone who has one usually has 2^64. An IPv4 address that is mapped to IPv6 is the IPv4 address.
 */
export const networkOf = (address: string): string => {
  const mapped = /^::ffff:(?=\d+\.)/i.exec(address);
  if (mapped !== null) return address.slice(mapped[0].length);
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const groups = head === "" ? [] : head.split(":");
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === "" ? 0 : tail.split(":").length);
  return [...groups, ...Array.from({ length: missing }, () => "0"), ...(tail ?? "").split(":")]
    .slice(0, 4)
    .join(":");
};

const LOCAL = new BlockList();
for (const [subnet, prefix] of [
  ["127.0.0.0", 8],
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const) {
  LOCAL.addSubnet(subnet, prefix, "ipv4");
}
LOCAL.addAddress("::1", "ipv6");
LOCAL.addSubnet("fc00::", 7, "ipv6");

/** Whether a client is on this machine, or on a private network (RFC 1918, RFC 4193): a relay of the operator's own can be. */
export const isLocal = (address: string): boolean => LOCAL.check(address, isIPv6(address) ? "ipv6" : "ipv4");
