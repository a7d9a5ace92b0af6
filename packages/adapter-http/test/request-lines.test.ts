import { expect, test } from "vitest";
import { type RequestCase, testRequests } from "./support/request-cases.ts";
import { useServer } from "./support/use-server.ts";

/* Request methods, targets and versions, as bytes. */

const server = useServer();
const { aliasId, request, send, withBody } = server;

const lines: readonly RequestCase[] = [
  ["HTTP/0.9", 400, "invalid_request", () => "GET /aliases\r\n\r\n"],
  [
    "HTTP/0.9 with its version",
    400,
    "invalid_request",
    () => request("GET /aliases").toString().replace("HTTP/1.1", "HTTP/0.9"),
  ],
  [
    "HTTP/1.2",
    400,
    "invalid_request",
    () => request("GET /aliases").toString().replace("HTTP/1.1", "HTTP/1.2"),
  ],
  [
    "HTTP/2.0",
    400,
    "invalid_request",
    () => request("GET /aliases").toString().replace("HTTP/1.1", "HTTP/2.0"),
  ],
  ["HTTP/3", 400, "invalid_request", () => request("GET /aliases").toString().replace("HTTP/1.1", "HTTP/3")],
  ["the preface of HTTP/2", 400, "invalid_request", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  [
    "http in lower case",
    400,
    "invalid_request",
    () => request("GET /aliases").toString().replace("HTTP/1.1", "http/1.1"),
  ],
  [
    "no version",
    400,
    "invalid_request",
    () => request("GET /aliases").toString().replace(" HTTP/1.1", " HTTP/"),
  ],
  // Allowed by RFC 9112, section 3; it has only one meaning.
  ["two spaces after the method", 200, null, () => request("GET  /aliases")],
  ["an unknown method", 400, "invalid_request", () => request("FOO /aliases")],
  ["a method in lower case", 400, "invalid_request", () => request("get /aliases")],
  ["a TLS hello", 400, "invalid_request", () => Buffer.from("16030100c8010000c40303", "hex")],
  ["meaningless bytes", 400, "invalid_request", () => Buffer.from([0, 1, 2, 3, 255, 254, 13, 10, 13, 10])],
  ["an SMTP greeting", 400, "invalid_request", () => "EHLO client.example\r\n\r\n"],
  ["a URL of 20 KB", 431, "headers_too_large", () => request(`GET /${"x".repeat(20_000)}`)],
  ["a path of 10 KB", 404, "route_not_found", () => request(`GET /${"x".repeat(10_000)}`)],
  ["an id of 10 KB", 400, "invalid_request", () => request(`GET /aliases/${"x".repeat(10_000)}`)],
  ["a query of 10 KB", 400, "invalid_request", () => request(`GET /aliases?${"x".repeat(10_000)}`)],
  [
    "a query of 1,000 parameters",
    400,
    "invalid_request",
    () => request(`GET /aliases?${"a=1&".repeat(1000)}`),
  ],
  [
    "__proto__ in the query",
    400,
    "invalid_request",
    () => request("GET /aliases?__proto__=1&__proto__[x]=2"),
  ],
  ["a parameter twice", 400, "invalid_request", () => request("GET /aliases?limit=1&limit=2")],
  ["a query with invalid escapes, taken literally", 200, null, () => request("GET /aliases?q=%ZZ%00")],
  [
    "bytes beyond ASCII in the path",
    400,
    "invalid_request",
    () => Buffer.from(request("GET /aliases/\u00e9").toString(), "latin1"),
  ],
  ["an encoded slash in an id", 404, "alias_not_found", () => request("GET /aliases/a%2Fb")],
  ["an encoded NUL in an id", 400, "invalid_request", () => request("GET /aliases/a%00b")],
  ["an encoded line break in an id", 400, "invalid_request", () => request("GET /aliases/a%0d%0ab")],
  ["%ZZ", 400, "invalid_request", () => request("GET /aliases/%ZZ")],
  ["a lone percent sign", 400, "invalid_request", () => request("GET /aliases/100%")],
  ["overlong UTF-8 in the path", 400, "invalid_request", () => request("GET /aliases/%C0%AF")],
  ["an encoded surrogate", 400, "invalid_request", () => request("GET /aliases/%ED%A0%80")],
  ["%u encoding", 400, "invalid_request", () => request("GET /aliases/%u0061")],
  ["dots encoded twice", 404, "alias_not_found", () => request("GET /aliases/%252e%252e")],
  ["dots", 404, "route_not_found", () => request("GET /aliases/../health")],
  ["encoded dots", 404, "alias_not_found", () => request("GET /aliases/%2e%2e")],
  ["dots around an open route", 404, "route_not_found", () => request("GET /health/../aliases")],
  ["a double slash", 404, "route_not_found", () => request("GET //aliases")],
  ["a semicolon", 404, "route_not_found", () => request("GET /aliases;limit=1")],
  ["a backslash", 404, "route_not_found", () => request("GET /\\aliases")],
  ["an encoded path", 404, "route_not_found", () => request("GET /%2Faliases")],
  ["a path without its slash", 400, "invalid_request", () => request("GET aliases")],
  ["a fragment", 404, "route_not_found", () => request("GET /nowhere#aliases")],
  ["another server's URL", 404, "route_not_found", () => request("GET http://other.example/nowhere")],
];

const methods: readonly RequestCase[] = [
  ["TRACE", 405, "method_not_allowed", () => request("TRACE /aliases")],
  ["CONNECT", 405, "method_not_allowed", () => request("CONNECT other.example:443")],
  ["OPTIONS", 405, "method_not_allowed", () => request("OPTIONS /aliases")],
  ["OPTIONS *", 404, "route_not_found", () => request("OPTIONS *")],
  ["PROPFIND", 405, "method_not_allowed", () => request("PROPFIND /aliases")],
  ["MKCOL", 404, "route_not_found", () => request("MKCOL /nowhere")],
  ["QUERY", 405, "method_not_allowed", () => request("QUERY /aliases")],
  ["M-SEARCH", 405, "method_not_allowed", () => request("M-SEARCH /aliases")],
  ["PURGE", 405, "method_not_allowed", () => request("PURGE /aliases")],
  ["PUT where it is not allowed", 405, "method_not_allowed", () => request("PUT /aliases")],
  ["DELETE of all aliases", 405, "method_not_allowed", () => request("DELETE /v1/aliases")],
  [
    "a method by X-HTTP-Method-Override",
    200,
    null,
    () => request(`GET /aliases/${aliasId()}`, "X-HTTP-Method-Override: DELETE\r\n"),
  ],
  [
    "a method by X-Method-Override",
    200,
    null,
    () => request(`GET /aliases/${aliasId()}`, "X-Method-Override: DELETE\r\n"),
  ],
  ["a method by _method", 400, "invalid_request", () => request("GET /aliases?_method=DELETE")],
  [
    "a path by X-Original-URL",
    404,
    "route_not_found",
    () => request("GET /nowhere", "X-Original-URL: /aliases\r\nX-Rewrite-URL: /aliases\r\n"),
  ],
  [
    "a malformed If-Match",
    400,
    "invalid_request",
    () => request(`DELETE /aliases/${aliasId()}`, "If-Match: 1\r\n"),
  ],
  [
    "If-Match of another version",
    412,
    "precondition_failed",
    () => request(`DELETE /aliases/${aliasId()}`, 'If-Match: "99"\r\n'),
  ],
  [
    "If-Match twice",
    412,
    "precondition_failed",
    () => request(`DELETE /aliases/${aliasId()}`, 'If-Match: "98"\r\nIf-Match: "99"\r\n'),
  ],
  [
    "an upgrade to WebSocket",
    200,
    null,
    () =>
      request(
        "GET /aliases",
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n",
      ),
  ],
  [
    "an upgrade to h2c",
    200,
    null,
    () =>
      request(
        "GET /aliases",
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n",
      ),
  ],
  ["a body in a GET", 200, null, () => withBody("{", "", "GET /aliases")],
  ["a range", 200, null, () => request("GET /aliases", "Range: bytes=0-1\r\n")],
  ["an unknown expectation", 200, null, () => request("GET /aliases", "Expect: the-impossible\r\n")],
];

testRequests(server, { lines, methods }, 50);

test.each([
  "TRACE /aliases",
  "OPTIONS /aliases",
  "OPTIONS *",
  "PROPFIND /aliases",
  "QUERY /aliases",
  "PURGE /nowhere",
  "CONNECT other.example:443",
])("%s without a token is 401: no method bypasses authentication", async (line) => {
  const { responses } = await send(`${line} HTTP/1.1\r\nHost: x\r\n\r\n`);
  expect(responses).toMatchObject([{ statusCode: 401, body: '{"message":"Unauthorized"}' }]);
});
