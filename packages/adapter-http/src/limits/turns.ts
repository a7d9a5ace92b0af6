import type { Socket } from "node:net";
import type { Unavailable } from "@postern/core";

/** A request that has waited longer for its turn is refused: its client may have given up, and those behind it wait too. */
const MAX_WAIT_MS = 1000;

export const TOO_BUSY: Unavailable = {
  code: "unavailable",
  cause: { source: "postern", reason: `the event loop was too busy for ${MAX_WAIT_MS} ms` },
};

/** How long requests are begun, one after the other, before the event loop continues with everything else. */
const MAX_SLICE_MS = 20;

/** In shorter slices, hardly more than one request would begin per iteration, which cost a sixth of the throughput. */
const MIN_SLICE_MS = 1;

/**
 * When requests begin. If the event loop reads many requests at once, beginning them all would keep it from everything
 * else for a long time: from new connections, of which Node accepts only one per iteration, and from `GET /health`. So
 * requests take turns, in each iteration for about as long as the event loop needs for everything else.
 *
 * A connection has one request in line at a time, so one that sends many ahead delays others no more than one that sends
 * them one by one.
 */
export type Turns = {
  /**
   * Calls `begin` when the connection's request gets its turn, perhaps at once. Passes false if the event loop was too busy to
   * get to it in time. `begin` must not throw.
   */
  take(connection: Socket, begin: Begin): void;
  /** Call this for each new connection. While more keep arriving, only one request begins per iteration. */
  connected(): void;
};

type Begin = (isInTime: boolean) => void;

/** The waiting requests of a connection, and since when the first of them has been next. */
type Line = { since: number; readonly begin: Begin[] };

export const turns = (): Turns => {
  /**
   * One for each connection, for as long as it is open. Requests themselves are never in a map or a set: after enough additions and
   * deletions V8 replaces its table, and the old table refers to the new one. An old table that was promoted keeps all later ones, and
   * what was in them, until the next full collection. Numbers and strings do not matter.
   */
  const lines = new WeakMap<Socket, Line>();
  /** The lines with waiting requests. The first one is next. */
  const waiting: Line[] = [];
  /** Whether a slice is running or going to run. */
  let active = false;
  let lastEnd = 0;
  let connecting = false;

  const lineOf = (connection: Socket): Line => {
    let line = lines.get(connection);
    if (line === undefined) {
      line = { since: 0, begin: [] };
      lines.set(connection, line);
    }
    return line;
  };

  const queue = (line: Line) => {
    line.since = performance.now();
    waiting.push(line);
  };

  const beginOne = () => {
    const line = waiting.shift();
    const begin = line?.begin.shift();
    if (line === undefined || begin === undefined) return;
    const isInTime = performance.now() - line.since <= MAX_WAIT_MS;
    if (line.begin.length > 0) queue(line);
    begin(isInTime);
  };

  const slice = () => {
    const begun = performance.now();
    const length = Math.min(Math.max(begun - lastEnd, MIN_SLICE_MS), MAX_SLICE_MS);
    const end = connecting ? begun : begun + length;
    connecting = false;
    const next = () => {
      lastEnd = performance.now();
      if (waiting.length === 0) active = false;
      else if (lastEnd < end) step();
      else setImmediate(slice);
    };
    const step = () => {
      beginOne();
      // A tick requested by a microtask runs after all others, and so after what the request did synchronously.
      queueMicrotask(() => process.nextTick(next));
    };
    step();
  };

  return {
    connected: () => {
      connecting = true;
    },
    take: (connection, begin) => {
      if (!active) {
        active = true;
        lastEnd = performance.now();
        setImmediate(slice);
        return begin(true);
      }
      const line = lineOf(connection);
      line.begin.push(begin);
      if (line.begin.length === 1) queue(line);
    },
  };
};
