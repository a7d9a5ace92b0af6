import { isIPv6 } from "node:net";

/** A host as it is in URLs: IPv6 addresses are in brackets. */
export const urlHost = (host: string): string => (isIPv6(host) ? `[${host}]` : host);
