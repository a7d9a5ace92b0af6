import { isIPv6 } from "node:net";

/** Counts the connections of each client. */
export type ConnectionLimits = {
  /** Counts a connection from this address. Returns false, and counts nothing, if it already has too many. */
  enter(address: string): boolean;
  leave(address: string): void;
};

/** Anyone with an IPv6 address usually has 2^64 of them, so the network counts: the first four groups, written out. */
const network = (address: string): string => {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const groups = head === "" ? [] : head.split(":");
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === "" ? 0 : tail.split(":").length);
  return [...groups, ...Array.from({ length: missing }, () => "0"), ...(tail ?? "").split(":")]
    .slice(0, 4)
    .join(":");
};

export const connectionLimits = (perAddress: number): ConnectionLimits => {
  const counts = new Map<string, number>();
  return {
    enter: (address) => {
      const key = network(address);
      const count = counts.get(key) ?? 0;
      if (count >= perAddress) return false;
      counts.set(key, count + 1);
      return true;
    },
    leave: (address) => {
      const key = network(address);
      const count = (counts.get(key) ?? 1) - 1;
      if (count === 0) counts.delete(key);
      else counts.set(key, count);
    },
  };
};
