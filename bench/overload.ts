import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, get } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startIssuer, startServer } from "./support/server.ts";

/*
 * How long GET /health takes, and what happens to requests, while many connections send requests as fast as they can:
 * each sends the next one as soon as it has the response. The server is the real one, without a rate limit, pinned to one
 * core where `taskset` exists. The connections belong to another process, and a third one asks for /health.
 *
 *     node_modules/.bin/node bench/overload.ts [--connections 1000] [--accounts 20] [--seconds 10] [--pipelined 1]
 *
 * The goal: /health responds within a second.
 */

const { values: options } = parseArgs({
  options: {
    connections: { type: "string", default: "1000" },
    accounts: { type: "string", default: "20" },
    seconds: { type: "string", default: "10" },
    /** How many requests a connection sends ahead of their responses. */
    pipelined: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    client: { type: "string" },
  },
});
const SECONDS = Number(options.seconds);

type Measured = { readonly statuses: Readonly<Record<string, number>>; readonly times: readonly number[] };
type Client =
  | {
      readonly kind: "flood";
      readonly url: string;
      readonly requests: readonly string[];
      readonly connections: number;
      readonly pipelined: number;
    }
  | { readonly kind: "probe"; readonly url: string; readonly metrics: string };

/* The clients, each a process of its own. */

/** Connections that send a request, read its response, and so on, until time is up. */
const flood = async ({
  url,
  requests,
  connections,
  pipelined,
}: Client & { kind: "flood" }): Promise<Measured> => {
  const statuses: Record<string, number> = {};
  const times: number[] = [];
  const end = performance.now() + SECONDS * 1_000;
  const work = async (index: number) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1")
      .setNoDelay()
      .setEncoding("latin1");
    const sent: number[] = [];
    const send = () => {
      sent.push(performance.now());
      socket.write(requests[index % requests.length] ?? "");
    };
    let received = "";
    socket.on("data", (text: string) => {
      received += text;
      for (;;) {
        const head = received.indexOf("\r\n\r\n");
        if (head < 0) return;
        const length = Number(/\r\ncontent-length: (\d+)/i.exec(received.slice(0, head))?.[1] ?? 0);
        if (received.length < head + 4 + length) return;
        const status = received.slice(9, 12);
        received = received.slice(head + 4 + length);
        const begun = sent.shift() ?? 0;
        times.push(performance.now() - begun);
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (performance.now() < end) send();
        else if (sent.length === 0) socket.destroy();
      }
    });
    socket.on("error", () => {});
    const closed = once(socket, "close");
    for (let n = 0; n < pipelined; n += 1) send();
    await Promise.race([closed, setTimeout(SECONDS * 1_000 + 20_000)]);
    if (sent.length > 0) statuses["cut off"] = (statuses["cut off"] ?? 0) + sent.length;
    socket.destroy();
  };
  await Promise.all(Array.from({ length: connections }, (_, n) => work(n)));
  return { statuses, times };
};

/** Asks for /health ten times a second, each time on a new connection, as load balancers do. */
const probe = async ({ url }: Client & { kind: "probe" }): Promise<Measured> => {
  const statuses: Record<string, number> = {};
  const times: number[] = [];
  const end = performance.now() + SECONDS * 1_000;
  while (performance.now() < end) {
    const start = performance.now();
    const status = await new Promise<number>((resolve) => {
      get(`${url}/health`, { agent: new Agent() }, (response) => {
        response.resume().once("end", () => resolve(response.statusCode ?? 0));
      }).once("error", () => resolve(0));
    });
    times.push(performance.now() - start);
    statuses[status] = (statuses[status] ?? 0) + 1;
    await setTimeout(100);
  }
  return { statuses, times };
};

const measure = async (client: Client): Promise<Measured> => {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), [
    ...["--client", JSON.stringify(client), "--seconds", options.seconds],
  ]);
  const [measured] = await once(child, "message");
  return measured as Measured;
};

/* What the connections send. */

const requestOf = (method: string, path: string, token: string | null, body = ""): string =>
  [
    `${method} ${path} HTTP/1.1`,
    "Host: x",
    ...(token === null ? [] : [`Authorization: Bearer ${token}`]),
    ...(body === "" ? [] : ["Content-Type: application/json", `Content-Length: ${body.length}`]),
    "",
    body,
  ].join("\r\n");

const FLOODS: Readonly<Record<string, (token: string) => string>> = {
  "without a token": () => requestOf("GET", "/aliases", null),
  "a list": (token) => requestOf("GET", "/aliases", token),
  "an alias that is not there": (token) => requestOf("GET", "/aliases/none", token),
  "a change that is refused": (token) =>
    requestOf("PUT", "/aliases/none/recipients", token, JSON.stringify({ recipient_ids: ["none"] })),
  "new recipients": (token) =>
    requestOf("POST", "/recipients", token, JSON.stringify({ recipient_email: "ada@example.org" })),
};

const ms = (time: number | undefined) => (time === undefined ? "-" : time.toFixed(0)).padStart(7);
const percentile = (times: readonly number[], share: number) =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))];

const gauge = (text: string, name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);

/** The highest values that the metrics show until `over`. */
const watchMetrics = async (metrics: string, over: AbortSignal) => {
  let inFlight = 0;
  let memory = 0;
  let cpu = 0;
  while (!over.aborted) {
    const text = await (await fetch(metrics)).text();
    cpu = gauge(text, "process_cpu_seconds_total");
    inFlight = Math.max(inFlight, gauge(text, "postern_http_requests_in_flight"));
    memory = Math.max(memory, gauge(text, "process_resident_memory_bytes"));
    await setTimeout(250);
  }
  return { inFlight, cpu, memory: memory / 2 ** 20 };
};

const bench = async () => {
  const directory = mkdtempSync(join(tmpdir(), "postern-bench-"));
  const issuer = await startIssuer();
  const connections = Number(options.connections);
  const tokens = Array.from({ length: Number(options.accounts) }, (_, n) => issuer.token(`account-${n}`));
  console.log(
    `${connections} connections of ${tokens.length} accounts, ${options.pipelined} requests each; milliseconds`,
  );
  console.log(`${"".padEnd(36)} /health: p50  p99  max  requests: p50  p99  max    per second`);
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  try {
    for (const store of ["memory", "sqlite"]) {
      for (const [name, request] of Object.entries(FLOODS)) {
        if (!`${store}: ${name}`.includes(options.only)) continue;
        const { url, stop } = await startServer({
          POSTERN_STORE: store,
          POSTERN_SQLITE_PATH: join(directory, `${name}.db`),
          POSTERN_ISSUER: issuer.url,
          POSTERN_METRICS_PORT: `${port}`,
          POSTERN_CREATION_LIMIT: "0",
        });
        const metrics = `http://127.0.0.1:${port}/metrics`;
        const over = new AbortController();
        const first = gauge(await (await fetch(metrics)).text(), "process_cpu_seconds_total");
        const watched = watchMetrics(metrics, over.signal);
        const requests = tokens.map(request);
        const flooding = measure({
          kind: "flood",
          url,
          requests,
          connections,
          pipelined: Number(options.pipelined),
        });
        const [health, load] = await Promise.all([measure({ kind: "probe", url, metrics }), flooding]);
        over.abort();
        const { inFlight, memory, cpu } = await watched;
        const row = ({ times }: Measured) =>
          [percentile(times, 0.5), percentile(times, 0.99), Math.max(...times.slice(0, 100_000))]
            .map(ms)
            .join("");
        console.log(
          `${`${store}: ${name}`.padEnd(36)}${row(health)}${row(load)}   ${(load.times.length / SECONDS).toFixed(0).padStart(6)}` +
            `   ${JSON.stringify(health.statuses)} ${JSON.stringify(load.statuses)}, in flight ${inFlight}, ${memory.toFixed(0)} MiB, ${((1e6 * (cpu - first)) / load.times.length).toFixed(0)} us CPU`,
        );
        await stop();
      }
    }
  } finally {
    issuer.stop();
    rmSync(directory, { recursive: true });
  }
};

if (options.client === undefined) await bench();
else {
  const client: Client = JSON.parse(options.client);
  const measured = await (client.kind === "flood" ? flood(client) : probe(client));
  process.send?.(measured, () => process.disconnect?.());
}
