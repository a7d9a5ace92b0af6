import { err, type Postern, type Result, type Unavailable } from "@postern/core";
import { inTime } from "./in-time.ts";

/** How long the store may take to respond: the whole response is promised within a second. */
const PING_TIMEOUT_MS = 800;

/** How long a result is reused. No limit applies to `GET /health`, and each ping writes to the store. */
const REUSED_MS = 2000;

const LATE: Unavailable = {
  code: "unavailable",
  cause: { source: "postern", reason: `the store did not respond within ${PING_TIMEOUT_MS} ms` },
};

/** Whether the store could be read and written at most two seconds ago. */
export type Health = () => Promise<Result<void, Unavailable>>;

export const health = ({ ping }: Pick<Postern, "ping">): Health => {
  let result: ReturnType<Health> | null = null;
  let reusedUntil = Number.POSITIVE_INFINITY;
  return () => {
    if (result === null || performance.now() >= reusedUntil) {
      reusedUntil = Number.POSITIVE_INFINITY;
      // Concurrent requests share a ping, however long it takes.
      result = inTime(ping(), PING_TIMEOUT_MS, err(LATE)).finally(() => {
        reusedUntil = performance.now() + REUSED_MS;
      });
    }
    return result;
  };
};
