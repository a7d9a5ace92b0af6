import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import type { RequestError } from "../problems/failure.ts";
import { invalidField } from "../requests/input.ts";
import { headerValues } from "../syntax/header-values.ts";

const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::[0-9]*)?$/;

/** HTTP/1.0 may say nothing of its host. */
const hasOneHost = (request: IncomingMessage): boolean => {
  const hosts = headerValues(request, "host");
  if (hosts.length === 0) return request.httpVersion === "1.0";
  return hosts.length === 1 && hosts.every((host) => HOST.test(host));
};

/**
 * What Node's parser lets pass though the service and what stands before it may read it in different ways
 * (RFC 9112, sections 2.3, 3.2 and 6.1); null for a request that has one meaning only.
 */
export const framingProblem = ({ raw }: FastifyRequest): RequestError | null => {
  const { url = "", httpVersion, headers } = raw;
  if (httpVersion !== "1.1" && httpVersion !== "1.0") {
    return invalidField({ parameter: "" }, "must be an HTTP/1.1 request");
  }
  if (httpVersion === "1.0" && headers["transfer-encoding"] !== undefined) {
    return invalidField({ parameter: "Transfer-Encoding" }, "must not be used in HTTP/1.0");
  }
  if (!/^(\/|https?:\/\/|\*$)/i.test(url)) {
    return invalidField({ parameter: "path" }, "must begin with a slash");
  }
  if (!hasOneHost(raw)) {
    return invalidField({ parameter: "Host" }, "must be given once, as RFC 9112 writes it");
  }
  return null;
};
