import { BlockList, isIPv4 } from "node:net";

/** The widest networks for private use: 10.0.0.0/8 and fc00::/7. Wider ones contain public addresses. */
const WIDEST = { ipv4: 8, ipv6: 7 } as const;

/** IPv6 addresses that stand for IPv4 addresses. */
const MAPPED = { first: "::ffff:0:0", prefix: 96 } as const;

const contains = (network: string, prefix: number, address: string): boolean => {
  const list = new BlockList();
  list.addSubnet(network, prefix, "ipv6");
  return list.check(address, "ipv6");
};

/** Whether a valid network contains more than the widest private one. A single address never does. */
export const isTooWide = (network: string): boolean => {
  const [address = "", digits] = network.split("/");
  if (digits === undefined) return false;
  const prefix = Number(digits);
  if (isIPv4(address)) return prefix < WIDEST.ipv4;
  const mapped = contains(address, prefix, MAPPED.first) || contains(MAPPED.first, MAPPED.prefix, address);
  return prefix < (mapped ? MAPPED.prefix + WIDEST.ipv4 : WIDEST.ipv6);
};
