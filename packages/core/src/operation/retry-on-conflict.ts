import { err, ok, type Result } from "neverthrow";
import type { Conflict, Unavailable } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { TimeLeft, Timing } from "./deadline.ts";

const MAX_ATTEMPTS = 8;

/** Timers and the clock can differ slightly. */
const TOLERANCE_MS = 10;

const contention = (reason: string): Unavailable => ({
  code: "unavailable",
  cause: { source: "postern", reason },
});
const TOO_MANY_CONFLICTS = contention(`a conflict in each of ${MAX_ATTEMPTS} attempts`);
const CONFLICTS_UNTIL_DEADLINE = contention("conflicts until the deadline");

/** Called whenever an operation retries because a concurrent save won. For metrics; must not throw. */
export type OnRetry = () => void;

/** The ports that retrying needs. */
export type RetryPorts = Timing & { readonly clock: Clock; readonly onRetry?: OnRetry | undefined };

const isConflict = (error: { readonly code: string }): error is Conflict => error.code === "conflict";

/**
 * Loads, decides and saves again whenever a concurrent save won: at most 8 attempts, with a pause before each retry, and
 * none after the deadline; then `unavailable`. Every attempt decides based on what is stored at that time.
 */
export const retryOnConflict = async <T, E extends { readonly code: string }>(
  { clock, onRetry }: RetryPorts,
  timeLeft: TimeLeft,
  attempt: () => Promise<Result<T, E | Conflict | Unavailable>>,
): Promise<Result<T, E | Unavailable>> => {
  for (let attempts = 1; ; attempts += 1) {
    const result = await attempt();
    if (result.isOk()) return ok(result.value);
    if (!isConflict(result.error)) {
      // Conflicts have used up the time, wherever the last attempt was cut off.
      const late = attempts > 1 && result.error.code === "unavailable" && timeLeft() <= TOLERANCE_MS;
      return err(late ? CONFLICTS_UNTIL_DEADLINE : result.error);
    }
    if (attempts === MAX_ATTEMPTS) return err(TOO_MANY_CONFLICTS);
    if (timeLeft() === 0) return err(CONFLICTS_UNTIL_DEADLINE);
    onRetry?.();
    // Half of what is left, so that there is time for the next attempt.
    await clock.pause(attempts + 1, timeLeft() / 2);
  }
};
