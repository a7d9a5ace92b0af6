import type { FastifyRateLimitStore } from "@fastify/rate-limit";
import { makeRoom } from "../make-room.ts";

/** How many callers this process counts at a time (about 10 MB); the least recently seen is evicted. */
const MAX_CALLERS = 50_000;

/** `start` is monotonic, in milliseconds. */
type Window = { readonly start: number; count: number };

/**
 * Counts the requests of each caller within this process, in fixed windows. The built-in counter of
 * @fastify/rate-limit follows the wall clock: if that is set back by an hour, a caller who has used up a minute's budget
 * has to wait for an hour.
 */
export class FixedWindows implements FastifyRateLimitStore {
  readonly #windows = new Map<string, Window>();

  incr: FastifyRateLimitStore["incr"] = (caller, callback, windowMs = 0) => {
    const now = performance.now();
    const last = this.#windows.get(caller);
    const window = last !== undefined && now - last.start < windowMs ? last : { start: now, count: 0 };
    window.count += 1;
    // Inserted again for each request, so that the oldest is the least recently seen.
    this.#windows.delete(caller);
    makeRoom(this.#windows, MAX_CALLERS);
    this.#windows.set(caller, window);
    callback(null, { current: window.count, ttl: window.start + windowMs - now });
  };

  child = (): this => this;
}
