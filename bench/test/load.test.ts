import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, onTestFinished, test } from "vitest";
import type { Exchange } from "../support/exchange.ts";
import { startLoad } from "../support/start-load.ts";

/* The process that sends requests: it accepts nothing but the expected response. */

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const exchange = (path: string): Exchange => ({
  request: `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`,
  status: 200,
  begins: `{"path":"${path}","at":`,
  ends: "}",
});

const load = async (exchanges: readonly (readonly Exchange[])[]) => {
  const started = await startLoad(exchanges);
  onTestFinished(started.stop);
  return started;
};

test("measures correct responses", async () => {
  let served = 0;
  const url = await serve((request, response) => {
    served += 1;
    response.end(`{"path":"${request.url}","at":${Date.now()}}`);
  });
  const { run } = await load([[exchange("/a")], [exchange("/b")]]);
  const measured = await run({ url, seconds: 0.2, rate: null });
  expect(served).toBeGreaterThan(1);
  expect(measured.requests).toBe(served);
  expect(measured.p50).toBeGreaterThan(0);
  expect(measured.p99).toBeGreaterThanOrEqual(measured.p50);
  expect(measured.seconds * 1000).toBeGreaterThanOrEqual(measured.p99);
  expect(measured.cpu).toBeGreaterThan(0);
});

test("sends the exchanges of a connection in turn, and continues with the next one in the next job", async () => {
  const seen: string[] = [];
  const url = await serve((request, response) => {
    seen.push(request.url ?? "");
    response.end(`{"path":"${request.url}","at":1}`);
  });
  const { run } = await load([[exchange("/a"), exchange("/b"), exchange("/c")]]);
  const first = await run({ url, seconds: 0.02, rate: null });
  const second = await run({ url, seconds: 0.02, rate: null });
  expect(seen).toHaveLength(first.requests + second.requests);
  expect(seen).toEqual(seen.map((_, n) => ["/a", "/b", "/c"][n % 3]));
});

test("opens the requested number of connections", async () => {
  const sockets = new Set<unknown>();
  const url = await serve((request, response) => {
    sockets.add(request.socket);
    response.end(`{"path":"${request.url}","at":1}`);
  });
  const { run } = await load([[exchange("/a")], [exchange("/b")], [exchange("/c")]]);
  await run({ url, seconds: 0.05, rate: null, connections: 2 });
  expect(sockets.size).toBe(2);
});

test("sends no more requests than the rate allows", async () => {
  const url = await serve((request, response) => response.end(`{"path":"${request.url}","at":1}`));
  const { run } = await load([[exchange("/a")], [exchange("/b")]]);
  const { requests } = await run({ url, seconds: 0.5, rate: 40 });
  expect(requests).toBeLessThanOrEqual(20);
  expect(requests).toBeGreaterThan(0);
});

test.for([
  ["another status", 201, (path: string) => `{"path":"${path}","at":1}`],
  ["another beginning", 200, () => '{"path":"/other","at":1}'],
  ["another end", 200, (path: string) => `{"path":"${path}","at":1]`],
  ["more in between", 200, (path: string) => `{"path":"${path}","at":1,"x":1}`],
  ["a part of it", 200, (path: string) => `{"path":"${path}"}`],
  ["nothing", 200, () => ""],
] as const)("refuses %s", async ([, status, body]) => {
  const url = await serve((request, response) => {
    response.statusCode = status;
    response.end(body(request.url ?? ""));
  });
  const { run } = await load([[exchange("/a")]]);
  await expect(run({ url, seconds: 0.1, rate: null })).rejects.toThrow("expected HTTP/1.1 200");
});

test("refuses a connection that the server closes", async () => {
  const url = await serve((request) => request.socket.destroy());
  const { run } = await load([[exchange("/a")]]);
  await expect(run({ url, seconds: 0.1, rate: null })).rejects.toThrow(
    /closed a connection|connection failed/,
  );
});
