import type { Socket } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { sentTo } from "./support/sender.ts";
import {
  certificates,
  NAME,
  startDns,
  startRespondingServer,
  startTcpServer,
  startTlsServer,
} from "./support/servers.ts";

const TIMEOUT_MS = 1_000;

const failed = (reason: string) => ({ code: "failed", reason });

/** Writes `first`, and then `again` at intervals. Calls `often` once that has been often. */
const repeat = (socket: Socket, first: string, again: string, everyMs: number, often = () => {}) => {
  socket.write(first);
  let times = 0;
  const timer = setInterval(() => {
    socket.write(again);
    times += 1;
    if (times === 5) often();
  }, everyMs);
  socket.on("close", () => clearInterval(timer));
};

describe("a server that takes too long", () => {
  const NOT_CONNECTED = failed("could not connect within 1 seconds");
  const NO_RESPONSE = failed("did not respond within 1 seconds");

  /** The outcome of an event that runs into the timeout once the server has called `reached`. */
  const timed = async (
    start: typeof startTcpServer | typeof startTlsServer,
    talk: (socket: Socket, reached: () => void) => void,
    settings: Parameters<typeof sentTo>[1] = {},
    timeoutMs = TIMEOUT_MS,
  ) => {
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    const server = await start((socket) => talk(socket, resolve));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const ended = vi.fn();
    const sent = sentTo(server.port, { timeoutMs: TIMEOUT_MS, ...settings }).finally(ended);
    await reached;
    await vi.advanceTimersByTimeAsync(timeoutMs - 1);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(server.connections().all).toBe(1);
    return { delivery: await sent, server };
  };
  /** The same, and the server sees that the connection is closed. */
  const timedAndClosed = async (...how: Parameters<typeof timed>) => {
    const { delivery, server } = await timed(...how);
    await expect.poll(() => server.connections().open).toBe(0);
    return delivery;
  };
  const atOnce = (_: Socket, reached: () => void) => reached();

  test("with the TLS handshake", async () => {
    expect(await timedAndClosed(startTcpServer, atOnce)).toEqual(NOT_CONNECTED);
  });

  test("to respond", async () => {
    expect(await timedAndClosed(startTlsServer, atOnce)).toEqual(NO_RESPONSE);
  });

  test("to read the request", async () => {
    const talk = (socket: Socket, reached: () => void) => {
      socket.pause();
      reached();
    };
    const { delivery } = await timed(startTlsServer, talk, { format: () => "x".repeat(10_000_000) });
    expect(delivery).toEqual(NO_RESPONSE);
  });

  test("with the headers", async () => {
    const talk = (socket: Socket, reached: () => void) =>
      repeat(socket, "HTTP/1.1 200 OK\r\n", "X-A: b\r\n", 10, reached);
    expect(await timedAndClosed(startTlsServer, talk)).toEqual(NO_RESPONSE);
  });

  test("because its informational responses do not end", async () => {
    const talk = (socket: Socket, reached: () => void) =>
      repeat(socket, "", "HTTP/1.1 102 Processing\r\n\r\n", 10, reached);
    expect(await timedAndClosed(startTlsServer, talk)).toEqual(NO_RESPONSE);
  });

  test("with the body, which does not matter", async () => {
    const response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    const server = await startTlsServer((socket) =>
      socket.once("data", () => repeat(socket, response, `400\r\n${"x".repeat(0x400)}\r\n`, 1)),
    );
    expect(await sentTo(server.port, { timeoutMs: 60_000 })).toEqual({ code: "delivered" });
    await expect.poll(() => server.connections().open).toBe(0);
  });

  test("for the default timeout of 15 seconds", async () => {
    expect(await timedAndClosed(startTlsServer, atOnce, { timeoutMs: undefined }, 15_000)).toEqual(
      failed("did not respond within 15 seconds"),
    );
  });
});

describe("a name", () => {
  test.for([
    ["missing.example", "its name could not be resolved (ENOTFOUND)"],
    ["empty.example", "its name could not be resolved (ENODATA)"],
    ["broken.example", "its name could not be resolved (ESERVFAIL)"],
  ] as const)("%s: %s", async ([name, reason]) => {
    const dns = await startDns({ "empty.example": {}, "broken.example": "SERVFAIL" });
    expect(await sentTo(`https://${name}/`, { dns: dns.address })).toEqual(failed(reason));
  });

  test("whose name server is silent", async () => {
    const dns = await startDns({ "silent.example": "silence" });
    // The resolver has timers of its own.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    expect(await sentTo("https://silent.example/", { dns: dns.address, timeoutMs: 350 })).toEqual(
      failed("its name could not be resolved (ETIMEOUT)"),
    );
  });
});

describe("a certificate", () => {
  const respond = (certificate: { readonly cert: Buffer; readonly key: Buffer }) =>
    startTlsServer((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n"), certificate);

  test("for another name", async () => {
    expect(await sentTo((await respond(certificates.another)).port)).toEqual(
      failed("its certificate is not valid (ERR_TLS_CERT_ALTNAME_INVALID)"),
    );
  });

  test("that has expired", async () => {
    expect(await sentTo((await respond(certificates.expired)).port)).toEqual(
      failed("its certificate is not valid (CERT_HAS_EXPIRED)"),
    );
  });

  test("that is not trusted", async () => {
    expect(await sentTo((await respond(certificates.ours)).port, { ca: null })).toEqual(
      failed("its certificate is not valid (DEPTH_ZERO_SELF_SIGNED_CERT)"),
    );
  });
});

describe("a server that", () => {
  test("does not exist", async () => {
    expect(await sentTo(`https://${NAME}:1/`)).toEqual(failed("could not connect (ECONNREFUSED)"));
  });

  test("has no TLS", async () => {
    const server = await startTcpServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    expect(await sentTo(server.port)).toEqual({
      code: "failed",
      reason: expect.stringMatching(/^could not connect \((EPROTO|ERR_SSL_[A-Z_]+)\)$/),
    });
  });

  test.for(["end", "resetAndDestroy"] as const)("breaks the connection before TLS (%s)", async (method) => {
    const server = await startTcpServer((socket) => void socket.once("data", () => socket[method]()));
    expect(await sentTo(server.port)).toEqual(failed("could not connect (ECONNRESET)"));
  });

  test.for([
    ["after TLS", ""],
    ["in the headers", "HTTP/1.1 200 OK\r\nX-A: b\r\n"],
  ])("breaks the connection %s", async ([, response = ""]) => {
    const server = await startTlsServer((socket) => void socket.once("data", () => socket.end(response)));
    expect(await sentTo(server.port)).toEqual(failed("its response is not valid (ECONNRESET)"));
  });

  test.for([
    ["SSH-2.0-OpenSSH_10.0\r\n", "HPE_INVALID_CONSTANT"],
    [`HTTP/1.1 200 OK\r\nX-A: ${"x".repeat(100_000)}\r\n\r\n`, "HPE_HEADER_OVERFLOW"],
    ["HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "HPE_UNEXPECTED_CONTENT_LENGTH"],
  ] as const)("does not respond with HTTP: %j", async ([response, code]) => {
    const server = await startRespondingServer(response);
    expect(await sentTo(server.port)).toEqual(failed(`its response is not valid (${code})`));
    await expect.poll(() => server.connections().open).toBe(0);
  });

  test("wants another protocol", async () => {
    const response = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\nConnection: Upgrade\r\n\r\n";
    const server = await startRespondingServer(response);
    expect(await sentTo(server.port, { timeoutMs: TIMEOUT_MS })).toEqual(failed("its response is not valid"));
    await expect.poll(() => server.connections().open).toBe(0);
  });

  test("responds before it has read the event", async () => {
    const server = await startTlsServer((socket) => {
      socket.once("data", () => {
        socket.pause();
        socket.write("HTTP/1.1 413 Too Large\r\n\r\n");
      });
    });
    const body = () => "x".repeat(10_000_000);
    expect(await sentTo(server.port, { format: body })).toEqual(failed("responded 413"));
  });
});

test("an event can be of any size", async () => {
  const server = await startRespondingServer("HTTP/1.1 200 OK\r\n\r\n");
  for (const size of [0, 1, 1_000_000])
    expect(await sentTo(server.port, { format: () => "x".repeat(size) })).toEqual({ code: "delivered" });
});
