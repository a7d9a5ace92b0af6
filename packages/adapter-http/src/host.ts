import type { FastifyRequest } from "fastify";

const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::[0-9]*)?$/;

/**
 * Whether the request says once, and in the right form, whom it is for (RFC 9112, section 3.2): what is before
 * the service may have read it in another way. HTTP/1.0 may say nothing. Node keeps the first of several.
 */
export const hasOneHost = ({ raw: { rawHeaders, httpVersion } }: FastifyRequest): boolean => {
  const hosts = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === "host");
  if (hosts.length === 0) return httpVersion === "1.0";
  return hosts.length === 1 && hosts.every((host) => HOST.test(host));
};
