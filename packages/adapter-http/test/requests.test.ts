import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { useIssuer } from "./support/use-issuer.ts";
import { exchange, type WireResponse } from "./support/wire.ts";
import { openWorld, type World } from "./support/world.ts";

/*
 * Requests as bytes, sent to a listening server. Each gets the response listed with it. A rejected request changes nothing,
 * and the server keeps responding.
 */

const issuer = useIssuer();
let world: World;
let port: number;
let token: string;
let aliasId: string;
let recipientId: string;
beforeAll(async () => {
  world = await openWorld(issuer());
  recipientId = await world.recipient("first");
  aliasId = (await world.alias("shop", [recipientId])).alias_id;
  token = await issuer().token();
  port = Number(new URL(await world.api.listen({ host: "127.0.0.1", port: 0 })).port);
});
afterAll(() => world.api.close());

type Bytes = string | Buffer;
const join = (...pieces: readonly Bytes[]): Buffer =>
  Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
const JSON_TYPE = "Content-Type: application/json\r\n";
const auth = (): string => `Authorization: Bearer ${token}\r\n`;

/** A complete, authenticated request with these additional headers and this body. */
const request = (line: string, headers = "", body: Bytes = ""): Buffer =>
  join(`${line} HTTP/1.1\r\nHost: x\r\n${auth()}${headers}\r\n`, body);
/** The same with a body, JSON by default, and its length. */
const withBody = (body: Bytes, headers = JSON_TYPE, line = "POST /recipients"): Buffer =>
  request(line, `${headers}Content-Length: ${Buffer.byteLength(body)}\r\n`, body);
const replace = (body: Bytes, headers = JSON_TYPE): Buffer =>
  withBody(body, headers, `PUT /aliases/${aliasId}/recipients`);
const ids = (list: unknown): Buffer => replace(JSON.stringify({ recipient_ids: list }));
const GOOD = '{"recipient_email":"new@mail.example"}';
const chunked = (chunks: Bytes, headers = "Transfer-Encoding: chunked\r\n"): Buffer =>
  request("POST /recipients", JSON_TYPE + headers, chunks);

type Case = readonly [
  name: string,
  status: number,
  code: string | null,
  bytes: () => Bytes | readonly Bytes[],
];

const mediaTypes: readonly Case[] = [
  ["text/plain", 415, "unsupported_media_type", () => withBody(GOOD, "Content-Type: text/plain\r\n")],
  ["no media type", 415, "unsupported_media_type", () => withBody(GOOD, "")],
  ["an empty media type", 415, "unsupported_media_type", () => withBody(GOOD, "Content-Type:\r\n")],
  [
    "a form",
    415,
    "unsupported_media_type",
    () => withBody("recipient_email=new@mail.example", "Content-Type: application/x-www-form-urlencoded\r\n"),
  ],
  [
    "multipart",
    415,
    "unsupported_media_type",
    () => withBody(GOOD, "Content-Type: multipart/form-data; boundary=x\r\n"),
  ],
  ["XML", 415, "unsupported_media_type", () => withBody("<a/>", "Content-Type: application/xml\r\n")],
  [
    "a type that begins like a valid one",
    415,
    "unsupported_media_type",
    () => withBody(GOOD, "Content-Type: application/jsonx\r\n"),
  ],
  [
    "another +json type",
    415,
    "unsupported_media_type",
    () => withBody(GOOD, "Content-Type: application/vnd.api+json\r\n"),
  ],
  [
    "a patch's type on a POST",
    415,
    "unsupported_media_type",
    () => withBody(GOOD, "Content-Type: application/merge-patch+json\r\n"),
  ],
  [
    "two types in one line",
    415,
    "unsupported_media_type",
    () => withBody(GOOD, "Content-Type: application/json, text/plain\r\n"),
  ],
  [
    "two Content-Types, the first one good",
    415,
    "unsupported_media_type",
    () => withBody(GOOD, `${JSON_TYPE}Content-Type: text/plain\r\n`),
  ],
  [
    "two Content-Types, the second one good",
    415,
    "unsupported_media_type",
    () => withBody(GOOD, `Content-Type: text/plain\r\n${JSON_TYPE}`),
  ],
  [
    "charset latin1",
    415,
    "unsupported_media_type",
    () => withBody(GOOD, "Content-Type: application/json; charset=iso-8859-1\r\n"),
  ],
  [
    "charset utf-16",
    415,
    "unsupported_media_type",
    () => withBody(Buffer.from(GOOD, "utf16le"), "Content-Type: application/json; charset=utf-16\r\n"),
  ],
  [
    "charset utf-7",
    415,
    "unsupported_media_type",
    () => withBody(GOOD, "Content-Type: application/json; charset=utf-7\r\n"),
  ],
  [
    "two charsets",
    415,
    "unsupported_media_type",
    () => withBody(GOOD, "Content-Type: application/json; charset=utf-8; charset=latin1\r\n"),
  ],
  [
    "an unknown parameter",
    415,
    "unsupported_media_type",
    () => withBody(GOOD, "Content-Type: application/json; x=y\r\n"),
  ],
  [
    "a media type of 8 KB",
    415,
    "unsupported_media_type",
    () => withBody(GOOD, `Content-Type: application/json;${" ".repeat(8000)}x\r\n`),
  ],
  [
    "Content-Encoding gzip",
    415,
    "unsupported_media_type",
    () => withBody(GOOD, `${JSON_TYPE}Content-Encoding: gzip\r\n`),
  ],
  [
    "Content-Encoding br",
    415,
    "unsupported_media_type",
    () => withBody(GOOD, `${JSON_TYPE}Content-Encoding: br\r\n`),
  ],
  [
    "Content-Encoding GZIP after identity",
    415,
    "unsupported_media_type",
    () => withBody(GOOD, `${JSON_TYPE}Content-Encoding: identity\r\nContent-Encoding: GZIP\r\n`),
  ],
  [
    "an unknown Content-Encoding",
    415,
    "unsupported_media_type",
    () => withBody(GOOD, `${JSON_TYPE}Content-Encoding: x\r\n`),
  ],
];

const bodies: readonly Case[] = [
  ["no body", 400, "invalid_request", () => request("POST /recipients", "Content-Length: 0\r\n")],
  ["no body and no length", 400, "invalid_request", () => request("POST /recipients")],
  ["an empty body of JSON", 400, "invalid_request", () => withBody("")],
  ["white space", 400, "malformed_json", () => withBody(" \n")],
  ["an open object", 400, "malformed_json", () => withBody("{")],
  ["a body cut within a string", 400, "malformed_json", () => withBody('{"recipient_email":"new@')],
  ["data after it", 400, "malformed_json", () => withBody(`${GOOD}{}`)],
  ["a comma too many", 400, "malformed_json", () => withBody('{"recipient_email":"new@mail.example",}')],
  ["single quotes", 400, "malformed_json", () => withBody("{'recipient_email':'new@mail.example'}")],
  ["a comment", 400, "malformed_json", () => withBody(`/* */${GOOD}`)],
  ["NaN", 400, "malformed_json", () => withBody('{"recipient_email":NaN}')],
  [
    "a raw control character",
    400,
    "malformed_json",
    () => withBody('{"recipient_email":"new\u0001@mail.example"}'),
  ],
  ["NUL after it", 400, "malformed_json", () => withBody(`${GOOD}\0`)],
  ["an XSSI prefix", 400, "malformed_json", () => withBody(`)]}',\n${GOOD}`)],
  ["two lines of JSON", 400, "malformed_json", () => withBody(`${GOOD}\n${GOOD}`)],
  [
    "a member twice",
    400,
    "malformed_json",
    () => withBody('{"recipient_email":"new@mail.example","recipient_email":"x@mail.example"}'),
  ],
  [
    "a member twice, one of them escaped",
    400,
    "malformed_json",
    () => withBody('{"recipient_email":"new@mail.example","recipient_\\u0065mail":"x@mail.example"}'),
  ],
  [
    "recipient_ids twice",
    400,
    "malformed_json",
    () => replace(`{"recipient_ids":[],"recipient_ids":["${recipientId}"]}`),
  ],
  ["__proto__", 400, "malformed_json", () => withBody(GOOD.replace("}", ',"__proto__":{"admin":true}}'))],
  ["__proto__, escaped", 400, "malformed_json", () => withBody(GOOD.replace("}", ',"\\u005f_proto__":{}}'))],
  ["__proto__ inside", 400, "malformed_json", () => withBody('{"recipient_email":{"__proto__":{}}}')],
  [
    "constructor.prototype",
    400,
    "malformed_json",
    () => withBody(GOOD.replace("}", ',"constructor":{"prototype":{}}}')),
  ],
  ["toString as a member", 400, "invalid_request", () => withBody(GOOD.replace("}", ',"toString":1}'))],
  ["an unknown member", 400, "invalid_request", () => withBody(GOOD.replace("}", ',"account":"bob"}'))],
  ["null", 400, "invalid_request", () => withBody("null")],
  ["a list", 400, "invalid_request", () => withBody(`[${GOOD}]`)],
  ["text", 400, "invalid_request", () => withBody('"new@mail.example"')],
  ["a number", 400, "invalid_request", () => withBody("1e999")],
  ["lists 30,000 deep", 400, "invalid_request", () => withBody("[".repeat(30_000) + "]".repeat(30_000))],
  ["lists 30,000 deep, never closed", 400, "malformed_json", () => withBody("[".repeat(30_000))],
  [
    "objects 5,000 deep",
    400,
    "invalid_request",
    () => withBody(`${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`),
  ],
  ["a BOM", 400, "malformed_json", () => withBody(`\ufeff${GOOD}`)],
  ["UTF-16", 400, "malformed_json", () => withBody(Buffer.from(GOOD, "utf16le"))],
  ["UTF-16 with a BOM", 400, "malformed_json", () => withBody(Buffer.from(`\ufeff${GOOD}`, "utf16le"))],
  [
    "UTF-32",
    400,
    "malformed_json",
    () => withBody(Buffer.from([...GOOD].flatMap((sign) => [0, 0, 0, sign.charCodeAt(0)]))),
  ],
  [
    "invalid UTF-8",
    400,
    "malformed_json",
    () => withBody(Buffer.from('{"recipient_email":"\u00ff@mail.example"}', "latin1")),
  ],
  [
    "overlong UTF-8",
    400,
    "malformed_json",
    () => withBody(join('{"recipient_email":"', Buffer.from([0xc0, 0xae]), '@mail.example"}')),
  ],
  [
    "a surrogate in UTF-8",
    400,
    "malformed_json",
    () => withBody(join('{"recipient_email":"', Buffer.from([0xed, 0xa0, 0x80]), '@mail.example"}')),
  ],
  [
    "gzip that is not declared",
    400,
    "malformed_json",
    () => withBody(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0])),
  ],
  ["64 KiB and a byte", 413, "payload_too_large", () => withBody(GOOD.padEnd(64 * 1024 + 1))],
  [
    "a length of 10 GB",
    413,
    "payload_too_large",
    () => request("POST /recipients", `${JSON_TYPE}Content-Length: 10000000000\r\n`, GOOD),
  ],
];

const lists: readonly Case[] = [
  ["no ids", 400, "invalid_request", () => ids([])],
  ["no list", 400, "invalid_request", () => replace("{}")],
  ["null for the list", 400, "invalid_request", () => ids(null)],
  ["one id as text", 400, "invalid_request", () => ids(recipientId)],
  ["an object for the list", 400, "invalid_request", () => ids({ 0: recipientId, length: 1 })],
  ["true for the list", 400, "invalid_request", () => ids(true)],
  ["an id that is a number", 400, "invalid_request", () => ids([1])],
  ["an id that is null", 400, "invalid_request", () => ids([null])],
  ["an id that is true", 400, "invalid_request", () => ids([true])],
  ["an id that is an object", 400, "invalid_request", () => ids([{ id: recipientId }])],
  ["an id that is a list", 400, "invalid_request", () => ids([[recipientId]])],
  ["an empty id", 400, "invalid_request", () => ids([""])],
  ["an id of 129 characters", 400, "invalid_request", () => ids(["x".repeat(129)])],
  ["an id with NUL", 400, "invalid_request", () => ids([`${recipientId}\0`])],
  ["an id with a line break", 400, "invalid_request", () => ids(["a\nb"])],
  ["an id that is a lone surrogate", 400, "invalid_request", () => replace('{"recipient_ids":["\\ud800"]}')],
  ["a good id and a bad one", 400, "invalid_request", () => ids([recipientId, 0])],
  ["41 ids", 400, "invalid_request", () => ids(Array.from({ length: 41 }, (_, i) => `r${i}`))],
  ["10,000 ids", 400, "invalid_request", () => ids(Array.from({ length: 10_000 }, () => "r"))],
  ["10,000 numbers", 400, "invalid_request", () => ids(Array.from({ length: 10_000 }, (_, i) => i % 10))],
  [
    "10,000 ids, more than fit",
    413,
    "payload_too_large",
    () => ids(Array.from({ length: 10_000 }, (_, i) => `recipient-${i}`)),
  ],
  ["__proto__ for an id", 422, "recipients_ineligible", () => ids(["__proto__"])],
  [
    "ids that do not exist",
    422,
    "recipients_ineligible",
    () => ids(["constructor", "'; DROP TABLE aliases; --"]),
  ],
];

const framing: readonly Case[] = [
  [
    "a Content-Length that is not a number",
    400,
    "invalid_request",
    () => request("POST /recipients", `${JSON_TYPE}Content-Length: x\r\n`, GOOD),
  ],
  [
    "a negative Content-Length",
    400,
    "invalid_request",
    () => request("POST /recipients", `${JSON_TYPE}Content-Length: -1\r\n`, GOOD),
  ],
  [
    "a Content-Length with a plus",
    400,
    "invalid_request",
    () => request("POST /recipients", `${JSON_TYPE}Content-Length: +38\r\n`, GOOD),
  ],
  [
    "a Content-Length in hex",
    400,
    "invalid_request",
    () => request("POST /recipients", `${JSON_TYPE}Content-Length: 0x26\r\n`, GOOD),
  ],
  [
    "a Content-Length too large to count",
    400,
    "invalid_request",
    () => request("POST /recipients", `${JSON_TYPE}Content-Length: 99999999999999999999999\r\n`, GOOD),
  ],
  [
    "two Content-Lengths that differ",
    400,
    "invalid_request",
    () => request("POST /recipients", `${JSON_TYPE}Content-Length: 38\r\nContent-Length: 5\r\n`, GOOD),
  ],
  [
    "two equal Content-Lengths",
    400,
    "invalid_request",
    () => request("POST /recipients", `${JSON_TYPE}Content-Length: 38\r\nContent-Length: 38\r\n`, GOOD),
  ],
  [
    "Content-Lengths in a list",
    400,
    "invalid_request",
    () => request("POST /recipients", `${JSON_TYPE}Content-Length: 38, 38\r\n`, GOOD),
  ],
  [
    "Content-Length and chunked",
    400,
    "invalid_request",
    () => chunked("0\r\n\r\n", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
  ],
  [
    "chunked and Content-Length",
    400,
    "invalid_request",
    () => chunked("0\r\n\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"),
  ],
  [
    "Transfer-Encoding identity",
    400,
    "invalid_request",
    () => chunked(GOOD, "Transfer-Encoding: identity\r\n"),
  ],
  [
    "an unknown Transfer-Encoding",
    400,
    "invalid_request",
    () => chunked(GOOD, "Transfer-Encoding: xchunked\r\n"),
  ],
  [
    "chunked that is not the last coding",
    400,
    "invalid_request",
    () => chunked("0\r\n\r\n", "Transfer-Encoding: chunked, gzip\r\n"),
  ],
  [
    "Transfer-Encoding with a form feed",
    400,
    "invalid_request",
    () => chunked("0\r\n\r\n", "Transfer-Encoding:\x0bchunked\r\n"),
  ],
  [
    "a space before the colon",
    400,
    "invalid_request",
    () => chunked("0\r\n\r\n", "Transfer-Encoding : chunked\r\n"),
  ],
  [
    "chunked in HTTP/1.0",
    400,
    "invalid_request",
    () =>
      join(
        `POST /recipients HTTP/1.0\r\nHost: x\r\n${auth()}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n`,
        "26\r\n",
        GOOD,
        "\r\n0\r\n\r\n",
      ),
  ],
  ["a malformed chunk size", 400, "invalid_request", () => chunked("xyz\r\n")],
  ["a negative chunk size", 400, "invalid_request", () => chunked("-1\r\n")],
  ["a chunk size too large to count", 400, "invalid_request", () => chunked("fffffffffffffffffff\r\n")],
  ["a chunk longer than it says", 400, "invalid_request", () => chunked(`5\r\n${GOOD}\r\n0\r\n\r\n`)],
  ["a chunk ended by a bare LF", 400, "invalid_request", () => chunked(`26\n${GOOD}\n0\n\n`)],
  [
    "chunks of more than 64 KiB",
    413,
    "payload_too_large",
    () => chunked(`10001\r\n${"x".repeat(0x10001)}\r\n0\r\n\r\n`),
  ],
  ["a folded header", 400, "invalid_request", () => request("GET /aliases", "X-Folded: a\r\n b\r\n")],
  [
    "a folded Authorization",
    400,
    "invalid_request",
    () => join(`GET /aliases HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer\r\n ${token}\r\n\r\n`),
  ],
  [
    "lines that end in a bare LF",
    400,
    "invalid_request",
    () => join(`GET /aliases HTTP/1.1\nHost: x\n${auth().trim()}\n\n`),
  ],
  [
    "a bare LF within the headers",
    400,
    "invalid_request",
    () => request("GET /aliases", "X-A: a\nX-B: b\r\n"),
  ],
  ["a bare CR within a header", 400, "invalid_request", () => request("GET /aliases", "X-A: a\rX-B: b\r\n")],
  ["NUL in a header", 400, "invalid_request", () => request("GET /aliases", "X-A: a\0b\r\n")],
  ["a header without a colon", 400, "invalid_request", () => request("GET /aliases", "X-A\r\n")],
  ["a header without a name", 400, "invalid_request", () => request("GET /aliases", ": a\r\n")],
  ["a header name with a space", 400, "invalid_request", () => request("GET /aliases", "X A: a\r\n")],
  ["a header name beyond ASCII", 400, "invalid_request", () => request("GET /aliases", "X-\u00e9: a\r\n")],
  ["no Host", 400, "invalid_request", () => join(`GET /aliases HTTP/1.1\r\n${auth()}\r\n`)],
  ["two Hosts", 400, "invalid_request", () => request("GET /aliases", "Host: y\r\n")],
  [
    "headers of 20 KB",
    431,
    "headers_too_large",
    () => request("GET /aliases", `X-A: ${"x".repeat(20_000)}\r\n`),
  ],
  ["5,000 headers", 431, "headers_too_large", () => request("GET /aliases", "X: y\r\n".repeat(5000))],
];

const lines: readonly Case[] = [
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

const methods: readonly Case[] = [
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
    () => request(`GET /aliases/${aliasId}`, "X-HTTP-Method-Override: DELETE\r\n"),
  ],
  [
    "a method by X-Method-Override",
    200,
    null,
    () => request(`GET /aliases/${aliasId}`, "X-Method-Override: DELETE\r\n"),
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
    () => request(`DELETE /aliases/${aliasId}`, "If-Match: 1\r\n"),
  ],
  [
    "If-Match of another version",
    412,
    "precondition_failed",
    () => request(`DELETE /aliases/${aliasId}`, 'If-Match: "99"\r\n'),
  ],
  [
    "If-Match twice",
    412,
    "precondition_failed",
    () => request(`DELETE /aliases/${aliasId}`, 'If-Match: "98"\r\nIf-Match: "99"\r\n'),
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

const isProblem = ({ statusCode, headers, body }: WireResponse, code: string): void => {
  expect(headers["content-type"]).toMatch(/^application\/problem\+json/);
  expect(headers["cache-control"]).toBe("no-store");
  expect(headers["x-content-type-options"]).toBe("nosniff");
  const problem: unknown = JSON.parse(body);
  expect(problem).toMatchObject({
    type: `urn:postern:problem:${code}`,
    title: expect.any(String),
    status: statusCode,
    detail: expect.any(String),
    instance: expect.any(String),
    code,
  });
  expect(body).not.toContain("new@mail.example");
  expect(body.length).toBeLessThan(17_000);
};

/** Sends something, and checks that nothing has changed and that the server still responds. */
const unchanged = async <T>(send: () => Promise<T>): Promise<T> => {
  const before = await world.contents("alice", "bob");
  const result = await send();
  expect(await world.contents("alice", "bob")).toEqual(before);
  const { responses } = await exchange(port, "GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
  expect(responses).toMatchObject([{ statusCode: 200 }]);
  return result;
};

const tables = { mediaTypes, bodies, lists, framing, lines, methods };

test("the tables have at least 120 rows", () => {
  expect(Object.values(tables).flat().length).toBeGreaterThanOrEqual(120);
});

describe.each(Object.entries(tables))("%s:", (_, cases) => {
  test.each(cases)("%s → %s %s", async (_name, status, code, bytes) => {
    const { responses } = await unchanged(() => exchange(port, bytes()));
    expect(responses.map(({ statusCode, body }) => [statusCode, body.slice(0, 300)])).toMatchObject([
      [status, expect.anything()],
    ]);
    const [response] = responses;
    if (response === undefined) throw new Error("There was no response");
    if (code !== null) isProblem(response, code);
    if (status === 405) expect(response.headers["allow"]).toMatch(/GET/);
  });
});

describe("a connection", () => {
  const statuses = (responses: readonly WireResponse[]) => responses.map(({ statusCode }) => statusCode);
  const last = () => request("GET /health", "Connection: close\r\n");

  test("responds to pipelined requests in order, rejected ones included", async () => {
    const { responses } = await unchanged(() =>
      exchange(
        port,
        join(
          request("GET /aliases"),
          "GET /aliases HTTP/1.1\r\nHost: x\r\n\r\n",
          withBody("{}"),
          request("GET /nowhere"),
          last(),
        ),
        { count: 5 },
      ),
    );
    expect(statuses(responses)).toEqual([200, 401, 400, 404, 200]);
  });

  test("does not take the body of a rejected request for another request", async () => {
    const hidden = request(`DELETE /aliases/${aliasId}`);
    const refused = `POST /aliases HTTP/1.1\r\nHost: x\r\nContent-Length: ${hidden.length}\r\n\r\n`;
    const { responses } = await unchanged(() => exchange(port, join(refused, hidden, last()), { count: 3 }));
    expect(statuses(responses)).toEqual([401, 200]);
  });

  test("is closed after an ambiguous request", async () => {
    const hidden = request(`DELETE /aliases/${aliasId}`);
    for (const headers of ["Host: y\r\n", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"]) {
      const { responses, closed } = await unchanged(() =>
        exchange(port, join(request("POST /recipients", headers), "0\r\n\r\n", hidden), { count: 2 }),
      );
      expect(statuses(responses)).toEqual([400]);
      expect(closed).toBe(true);
    }
  });

  test("that closes within the headers or the body changes nothing", async () => {
    const whole = withBody(GOOD);
    for (const length of [10, whole.indexOf("\r\n\r\n"), whole.length - 1]) {
      const { responses } = await unchanged(() =>
        exchange(port, whole.subarray(0, length), { timeoutMs: 100 }),
      );
      expect(responses).toEqual([]);
    }
  });

  test("can send one byte at a time", async () => {
    const bytes = [...join("GET /health HTTP/1.1\r\nHost: x\r\n\r\n")].map((byte) => Buffer.from([byte]));
    const { responses } = await exchange(port, bytes, { pause: 1 });
    expect(statuses(responses)).toEqual([200]);
  });

  describe("that expects 100-continue", () => {
    const headers = `${JSON_TYPE}Expect: 100-continue\r\nContent-Length: 1\r\n`;

    test("is not invited to send the body without a token", async () => {
      const { responses, closed } = await exchange(
        port,
        `POST /recipients HTTP/1.1\r\nHost: x\r\n${headers}\r\n`,
        { count: 2, timeoutMs: 500 },
      );
      expect(statuses(responses)).toEqual([401]);
      expect(closed).toBe(true);
    });

    test("is invited with one", async () => {
      const { responses } = await unchanged(() =>
        exchange(port, [request("POST /recipients", headers), "{"], { count: 2 }),
      );
      expect(statuses(responses)).toEqual([100, 400]);
    });

    test("is not invited at an unknown path", async () => {
      const { responses } = await exchange(port, request("POST /nowhere", headers), {
        count: 2,
        timeoutMs: 500,
      });
      expect(statuses(responses)).toEqual([404]);
    });
  });

  test("for CONNECT gets 401 without a token", async () => {
    const { responses } = await exchange(port, "CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n");
    expect(responses).toMatchObject([{ statusCode: 401, body: '{"message":"Unauthorized"}' }]);
  });
});

test.each([
  "TRACE /aliases",
  "OPTIONS /aliases",
  "OPTIONS *",
  "PROPFIND /aliases",
  "QUERY /aliases",
  "PURGE /nowhere",
  "CONNECT other.example:443",
])("%s without a token is 401: no method bypasses authentication", async (line) => {
  const { responses } = await exchange(port, `${line} HTTP/1.1\r\nHost: x\r\n\r\n`);
  expect(responses).toMatchObject([{ statusCode: 401, body: '{"message":"Unauthorized"}' }]);
});

describe("a slow client", () => {
  let slow: World;
  let slowPort: number;
  beforeAll(async () => {
    slow = await openWorld(issuer());
    // The tests below shorten the timeouts, and check how a request ends. With POSTERN_HEAVY_ATTACKS,
    // packages/server/test/attacks.test.ts waits for the 30 seconds of an unmodified server.
    expect([slow.api.server.headersTimeout, slow.api.server.requestTimeout]).toEqual([30_000, 30_000]);
    slow.api.server.requestTimeout = 300;
    slow.api.server.headersTimeout = 300;
    slowPort = Number(new URL(await slow.api.listen({ host: "127.0.0.1", port: 0 })).port);
  });
  afterAll(() => slow.api.close());

  test.each([
    ["headers", () => ["GET /aliases HTTP/1.1\r\n", "Host: x\r\n", "X-A: "]],
    ["body", () => [request("POST /recipients", `${JSON_TYPE}Content-Length: 100\r\n`), "{", " "]],
    [
      "chunks",
      () => [request("POST /recipients", `${JSON_TYPE}Transfer-Encoding: chunked\r\n`), "1\r\n{\r\n"],
    ],
  ])("sending %s gets 408 and is disconnected", async (_, pieces) => {
    const start = Date.now();
    const { responses, closed } = await exchange(slowPort, pieces(), { count: 2, timeoutMs: 5000 });
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([408]);
    for (const response of responses) isProblem(response, "request_timeout");
    expect(closed).toBe(true);
    expect(Date.now() - start).toBeLessThan(3000);
    expect(await slow.contents("alice")).toMatchObject([{ recipients: { items: [] } }]);
  });

  test("whose body is not needed gets its response at once", async () => {
    const { responses, closed } = await exchange(
      slowPort,
      ["POST /recipients HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n", "{"],
      { count: 2, timeoutMs: 5000 },
    );
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([401]);
    expect(closed).toBe(true);
  });
});
