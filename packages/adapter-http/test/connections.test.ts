import { describe, expect, test } from "vitest";
import { GOOD, JSON_TYPE, join, useServer } from "./support/use-server.ts";
import type { WireResponse } from "./support/wire.ts";

/* What a connection carries besides a single complete request. */

const { aliasId, request, send, unchanged, withBody } = useServer();

describe("a connection", () => {
  const statuses = (responses: readonly WireResponse[]) => responses.map(({ statusCode }) => statusCode);
  const last = () => request("GET /health", "Connection: close\r\n");

  test("responds to pipelined requests in order, rejected ones included", async () => {
    const { responses } = await unchanged(() =>
      send(
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

  test("does not mistake the body of a rejected request for another request", async () => {
    const hidden = request(`DELETE /aliases/${aliasId()}`);
    const refused = `POST /aliases HTTP/1.1\r\nHost: x\r\nContent-Length: ${hidden.length}\r\n\r\n`;
    const { responses } = await unchanged(() => send(join(refused, hidden, last()), { count: 3 }));
    expect(statuses(responses)).toEqual([401, 200]);
  });

  test("is closed after an ambiguous request", async () => {
    const hidden = request(`DELETE /aliases/${aliasId()}`);
    for (const headers of ["Host: y\r\n", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"]) {
      const { responses, closed } = await unchanged(() =>
        send(join(request("POST /recipients", headers), "0\r\n\r\n", hidden), { count: 2 }),
      );
      expect(statuses(responses)).toEqual([400]);
      expect(closed).toBe(true);
    }
  });

  test("that closes in the middle of the headers or the body changes nothing", async () => {
    const whole = withBody(GOOD);
    for (const length of [10, whole.indexOf("\r\n\r\n"), whole.length - 1]) {
      const { responses } = await unchanged(() => send(whole.subarray(0, length), { timeoutMs: 100 }));
      expect(responses).toEqual([]);
    }
  });

  test("can send one byte at a time", async () => {
    const bytes = [...join("GET /health HTTP/1.1\r\nHost: x\r\n\r\n")].map((byte) => Buffer.from([byte]));
    const { responses } = await send(bytes, { pause: 1 });
    expect(statuses(responses)).toEqual([200]);
  });

  describe("that expects 100-continue", () => {
    const headers = `${JSON_TYPE}Expect: 100-continue\r\nContent-Length: 1\r\n`;

    test("is not invited to send the body without a token", async () => {
      const { responses, closed } = await send(`POST /recipients HTTP/1.1\r\nHost: x\r\n${headers}\r\n`, {
        count: 2,
      });
      expect(statuses(responses)).toEqual([401]);
      expect(closed).toBe(true);
    });

    test("is invited with a token", async () => {
      const { responses } = await unchanged(() =>
        send([request("POST /recipients", headers), "{"], { count: 2 }),
      );
      expect(statuses(responses)).toEqual([100, 400]);
    });

    test("is not invited at an unknown path", async () => {
      const { responses } = await send(request("POST /nowhere", headers));
      expect(statuses(responses)).toEqual([404]);
    });
  });

  test("for CONNECT gets 401 without a token", async () => {
    const { responses } = await send("CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n");
    expect(responses).toMatchObject([{ statusCode: 401, body: '{"message":"Unauthorized"}' }]);
  });
});
