/**
 * Whether a host is this machine itself, so that what is sent there in the clear never crosses a network.
 *
 * @param hostname as `URL.hostname` returns it: IPv6 addresses in brackets
 * @example
 * ```ts
 * isLoopback(new URL("http://127.0.0.1:9229/keys").hostname); // true
 * ```
 */
export const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
