import type { Server } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { expectProblem } from "./support/request-cases.ts";
import { JSON_TYPE, useServer } from "./support/use-server.ts";

/*
 * What happens to a request that takes too long, with shortened timeouts. By night, packages/server/test/attacks.test.ts waits out
 * the 30 seconds of an unmodified server.
 */

let server: Server;
const { request, send, unchanged } = useServer(({ api }) => {
  server = api.server;
  expect([server.headersTimeout, server.requestTimeout]).toEqual([30_000, 30_000]);
  // Node looks for slow clients this often.
  expect(server).toHaveProperty("connectionsCheckingInterval", 1_000);
  Object.assign(server, { connectionsCheckingInterval: 20 });
});

describe("a slow client", () => {
  const setTimeouts = (timeoutMs: number) =>
    Object.assign(server, { headersTimeout: timeoutMs, requestTimeout: timeoutMs });
  // On a busy machine, any other request could take as long.
  afterEach(() => void setTimeouts(30_000));
  const sendSlowly = async (pieces: Parameters<typeof send>[0]) => {
    setTimeouts(100);
    const sent = await send(pieces, { count: 2 });
    setTimeouts(30_000);
    return sent;
  };

  test.each([
    ["headers", () => ["GET /aliases HTTP/1.1\r\n", "Host: x\r\n", "X-A: "]],
    ["body", () => [request("POST /recipients", `${JSON_TYPE}Content-Length: 100\r\n`), "{", " "]],
    [
      "chunks",
      () => [request("POST /recipients", `${JSON_TYPE}Transfer-Encoding: chunked\r\n`), "1\r\n{\r\n"],
    ],
  ])("sending %s gets 408 and is disconnected", async (_, pieces) => {
    const { responses, closed } = await unchanged(() => sendSlowly(pieces()));
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([408]);
    for (const response of responses) expectProblem(response, "request_timeout");
    expect(closed).toBe(true);
  });

  test("whose body is not needed gets its response at once", async () => {
    server.once("request", () => setTimeouts(100));
    const { responses, closed } = await send(
      ["POST /recipients HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n", "{"],
      { count: 2 },
    );
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([401]);
    expect(closed).toBe(true);
  });
});
