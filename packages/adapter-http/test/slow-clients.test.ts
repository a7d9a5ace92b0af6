import { describe, expect, test } from "vitest";
import { expectProblem } from "./support/request-cases.ts";
import { JSON_TYPE, useServer } from "./support/use-server.ts";

/*
 * What happens to a request that takes too long, with shortened timeouts. With POSTERN_HEAVY_ATTACKS,
 * packages/server/test/attacks.test.ts waits out the 30 seconds of an unmodified server.
 */

const { request, send, unchanged } = useServer(({ api: { server } }) => {
  expect([server.headersTimeout, server.requestTimeout]).toEqual([30_000, 30_000]);
  server.requestTimeout = 300;
  server.headersTimeout = 300;
});

describe("a slow client", () => {
  test.each([
    ["headers", () => ["GET /aliases HTTP/1.1\r\n", "Host: x\r\n", "X-A: "]],
    ["body", () => [request("POST /recipients", `${JSON_TYPE}Content-Length: 100\r\n`), "{", " "]],
    [
      "chunks",
      () => [request("POST /recipients", `${JSON_TYPE}Transfer-Encoding: chunked\r\n`), "1\r\n{\r\n"],
    ],
  ])("sending %s gets 408 and is disconnected", async (_, pieces) => {
    const start = Date.now();
    const { responses, closed } = await unchanged(() => send(pieces(), { count: 2, timeoutMs: 5000 }));
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([408]);
    for (const response of responses) expectProblem(response, "request_timeout");
    expect(closed).toBe(true);
    expect(Date.now() - start).toBeLessThan(3000);
  });

  test("whose body is not needed gets its response at once", async () => {
    const { responses, closed } = await send(
      ["POST /recipients HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n", "{"],
      { count: 2, timeoutMs: 5000 },
    );
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([401]);
    expect(closed).toBe(true);
  });
});
