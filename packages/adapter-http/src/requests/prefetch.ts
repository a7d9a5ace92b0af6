import type { IncomingHttpHeaders } from "node:http";

/**
 * The headers that mark a request that a browser makes ahead of its user's decision: `Sec-Purpose` (HTML Standard,
 * section 7.6), and what earlier browsers sent.
 */
export const PREFETCH_HEADERS = ["Sec-Purpose", "Purpose", "X-Moz"] as const;

/** Whether the request is a prefetch, such as `Sec-Purpose: prefetch;prerender`. */
export const isPrefetch = (headers: IncomingHttpHeaders): boolean =>
  PREFETCH_HEADERS.some((name) => /\bprefetch\b/i.test(String(headers[name.toLowerCase()])));
