import { type RequestCase, testRequests } from "./support/request-cases.ts";
import { type Bytes, GOOD, JSON_TYPE, join, useServer } from "./support/use-server.ts";

/* Where a request begins and ends: lengths, chunks and headers, as bytes. */

const server = useServer();
const { auth, request } = server;
const chunked = (chunks: Bytes, headers = "Transfer-Encoding: chunked\r\n"): Buffer =>
  request("POST /recipients", JSON_TYPE + headers, chunks);

const framing: readonly RequestCase[] = [
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
    "Transfer-Encoding with a vertical tab",
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
    () => join(`GET /aliases HTTP/1.1\r\nHost: x\r\n${auth().replace("Bearer ", "Bearer\r\n ")}\r\n`),
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

testRequests(server, { framing }, 30);
