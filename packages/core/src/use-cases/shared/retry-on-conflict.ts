import { err, ok, type Result } from "neverthrow";
import type { Conflict, Unavailable } from "../../errors.ts";
import type { Clock } from "../../ports.ts";

const MOST_ATTEMPTS = 8;

const isConflict = (error: { readonly code: string }): error is Conflict => error.code === "conflict";

/**
 * Loads, decides and saves again for as long as somebody else's save came first, at most 8 times with a
 * pause before each repetition; then `unavailable`. A decision is always taken on what is stored then.
 */
export const whileContended = async <T, E extends { readonly code: string }>(
  clock: Pick<Clock, "pause">,
  attempt: () => Promise<Result<T, E | Conflict | Unavailable>>,
): Promise<Result<T, E | Unavailable>> => {
  for (let tries = 1; ; tries += 1) {
    const result = await attempt();
    if (result.isOk()) return ok(result.value);
    if (!isConflict(result.error)) return err(result.error);
    if (tries === MOST_ATTEMPTS) return err({ code: "unavailable" });
    await clock.pause(tries + 1);
  }
};
