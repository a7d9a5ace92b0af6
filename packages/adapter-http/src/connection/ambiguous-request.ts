import type { IncomingMessage } from "node:http";
import { Http2ServerRequest } from "node:http2";
import type { InvalidFields } from "../problems/failure.ts";
import { invalidField } from "../problems/invalid-field.ts";
import { headerValues } from "../syntax/header-values.ts";

const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::[0-9]*)?$/;

/** HTTP/1.0 does not require a Host header. */
const hasOneHost = (request: IncomingMessage): boolean => {
  const hosts = headerValues(request, "host");
  if (hosts.length === 0) return request.httpVersion === "1.0";
  return hosts.length === 1 && hosts.every((host) => HOST.test(host));
};

/**
 * What is wrong with a request that Node's parser accepts but that a proxy in front of the service may read differently
 * (RFC 9112, sections 2.3, 3.2 and 6.1); null if it is unambiguous.
 */
export const ambiguity = (request: IncomingMessage): InvalidFields | null => {
  const { url = "", httpVersion, headers } = request;
  // A host application may serve HTTP/2, whose framing is unambiguous.
  if (request instanceof Http2ServerRequest) return null;
  if (httpVersion !== "1.1" && httpVersion !== "1.0") {
    return invalidField({ parameter: "" }, "must be an HTTP/1.1 request");
  }
  if (httpVersion === "1.0" && headers["transfer-encoding"] !== undefined) {
    return invalidField({ parameter: "Transfer-Encoding" }, "must not be used in HTTP/1.0");
  }
  if (!/^(\/|https?:\/\/|\*$)/i.test(url)) {
    return invalidField({ parameter: "path" }, "must begin with a slash");
  }
  if (!hasOneHost(request)) {
    return invalidField({ parameter: "Host" }, "must be given once, in the form of RFC 9112");
  }
  return null;
};
