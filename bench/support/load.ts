import { once } from "node:events";
import { connect } from "node:net";
import type { Exchange } from "./exchange.ts";
import { type Answer, Exchanges, Job } from "./load-protocol.ts";

/*
 * The process that sends requests. Its first message is what to send; after that, each message is a job, which it answers with
 * what it measured.
 *
 * Each connection sends its exchanges in turn, one after the other, and compares each response, status and body, with the
 * one expected; the first wrong response ends the job. The expected bytes are known, so nothing is parsed, and a request
 * costs this process less than any server.
 */

/** How many exchanges each connection has sent to a URL: the next job continues there, so that each still changes something. */
const sent = new Map<string, number[]>();

/** Up to this many requests a second are sent by a timer. */
const MAX_TIMED_RATE = 500;

/** How long the last responses may take after a job. */
const DEADLINE_MS = 30_000;

const percentile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

const HEAD_END = Buffer.from("\r\n\r\n");

/** An exchange as bytes. */
const encoded = ({ request, status, begins, ends }: Exchange) => ({
  request: Buffer.from(request),
  status: `HTTP/1.1 ${status} `,
  begins: Buffer.from(begins),
  ends: Buffer.from(ends),
});
type Encoded = ReturnType<typeof encoded>;

/** Whether a response is the one expected. */
const isRight = (head: string, body: Buffer, { status, begins, ends }: Encoded): boolean => {
  const [from, to] = [begins.length, body.length - ends.length];
  return (
    head.startsWith(status) &&
    from <= to &&
    body.compare(begins, 0, from, 0, from) === 0 &&
    body.compare(ends, 0, ends.length, to) === 0 &&
    /^\d*$/.test(body.toString("latin1", from, to))
  );
};

const run = async (
  exchanges: readonly (readonly Encoded[])[],
  { url, seconds, rate }: Job,
): Promise<Answer> => {
  const { hostname, port } = new URL(url);
  const counts = sent.get(url) ?? exchanges.map(() => 0);
  sent.set(url, counts);
  const sockets = await Promise.all(
    exchanges.map(async () => {
      const socket = connect(Number(port), hostname).setNoDelay();
      await once(socket, "connect");
      return socket;
    }),
  );
  const times: number[] = [];
  const cpu = process.cpuUsage();
  const start = performance.now();
  const end = start + seconds * 1000;

  const wrong = await new Promise<string | null>((resolve) => {
    let busy = 0;
    /** When each connection should have sent its next request, if there is a rate. */
    const due = sockets.map((_, n) => start + (n * 1000) / (rate ?? 1));
    const begun = sockets.map(() => 0);
    const idle = sockets.map(() => true);

    const current = (n: number): Encoded | undefined => {
      const own = exchanges[n] ?? [];
      return own[(counts[n] ?? 0) % own.length];
    };

    const send = (n: number, at: number): void => {
      begun[n] = at;
      idle[n] = false;
      busy += 1;
      sockets[n]?.write(current(n)?.request ?? "");
    };

    const next = (n: number) => {
      idle[n] = true;
      busy -= 1;
      const now = performance.now();
      if (now >= end) {
        if (busy === 0) resolve(null);
      } else if (rate === null) send(n, now);
      else sendIfDue(n, now, true);
    };

    /** A request that waits for the previous response counts as begun when it was due: otherwise a slow server would look faster. */
    const sendIfDue = (n: number, now: number, waited: boolean) => {
      const at = due[n] ?? 0;
      if (at > now || now >= end) return;
      due[n] = at + (sockets.length * 1000) / (rate ?? 1);
      send(n, waited ? at : now);
    };

    for (const [n, socket] of sockets.entries()) {
      let received: Buffer = Buffer.alloc(0);
      let length = -1;
      let head = "";
      socket.on("data", (chunk: Buffer) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        if (length < 0) {
          const headEnd = received.indexOf(HEAD_END);
          if (headEnd < 0) return;
          head = received.toString("latin1", 0, headEnd);
          length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
          if (Number.isNaN(length)) return resolve(`a response without a Content-Length: ${head}`);
          received = received.subarray(headEnd + HEAD_END.length);
        }
        if (received.length < length) return;
        times.push(performance.now() - (begun[n] ?? 0));
        const exchange = current(n);
        if (exchange === undefined || !isRight(head, received, exchange)) {
          const expected = `${exchange?.status}${exchange?.begins}…${exchange?.ends}`;
          return resolve(`expected ${expected}, received ${head} ${received.toString()}`);
        }
        counts[n] = (counts[n] ?? 0) + 1;
        received = Buffer.alloc(0);
        length = -1;
        next(n);
      });
      socket.once("close", () => resolve("the server closed a connection"));
      socket.once("error", (error) => resolve(`a connection failed: ${error.message}`));
    }

    setTimeout(() => resolve(`no response within ${DEADLINE_MS} ms`), seconds * 1000 + DEADLINE_MS).unref();
    if (rate === null) for (const n of sockets.keys()) send(n, performance.now());
    else {
      // Timers are late by a millisecond, so frequent requests would come in bursts. Waiting without timers takes a whole core.
      const again = (next: () => void) => (rate > MAX_TIMED_RATE ? setImmediate(next) : setTimeout(next, 1));
      const tick = () => {
        const now = performance.now();
        if (now >= end) return busy === 0 ? resolve(null) : undefined;
        for (const n of sockets.keys()) if (idle[n]) sendIfDue(n, now, false);
        again(tick);
      };
      tick();
    }
  });

  const elapsed = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  for (const socket of sockets) socket.removeAllListeners("close").destroy();
  if (wrong !== null) return { wrong };
  const sorted = Float64Array.from(times).sort();
  return {
    requests: times.length,
    seconds: elapsed,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    cpu: (user + system) / 1e6 / elapsed,
  };
};

process.on("disconnect", () => process.exit());
process.once("message", (first) => {
  const exchanges = Exchanges.parse(first).map((own) => own.map(encoded));
  process.on("message", async (message) => {
    const job = Job.parse(message);
    process.send?.(await run(exchanges.slice(0, job.connections), job));
  });
  process.send?.("ready");
});
