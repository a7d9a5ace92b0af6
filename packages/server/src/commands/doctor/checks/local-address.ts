/** The address at which this machine reaches a server that listens on all addresses. */
const LOCAL: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
]);

/** Where a server that listens on `host` can be reached from this machine. */
export const localAddress = (host: string): string => LOCAL.get(host) ?? host;
