import type { IncomingHttpHeaders } from "node:http";

/**
 * The headers that mark a request which a browser makes before its user has decided to: `Sec-Purpose` (HTML Standard,
 * section 7.6), and what browsers sent earlier.
 */
export const PREFETCH_HEADERS = ["Sec-Purpose", "Purpose", "X-Moz"] as const;

/** Whether the request is a prefetch, such as `Sec-Purpose: prefetch;prerender`. */
export const isPrefetch = (headers: IncomingHttpHeaders): boolean =>
  PREFETCH_HEADERS.some((name) => /\bprefetch\b/i.test(String(headers[name.toLowerCase()])));
