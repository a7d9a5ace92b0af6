import { err, ok, type Result } from "neverthrow";
import type { Conflict, Unavailable } from "../../errors.ts";
import type { Clock, OnRetry } from "../../ports.ts";

const MAX_ATTEMPTS = 8;

const CONTENTION: Unavailable = {
  code: "unavailable",
  cause: { source: "postern", reason: `a conflict in each of ${MAX_ATTEMPTS} attempts` },
};

/** What retrying needs of the ports. */
export type RetryPorts = { readonly clock: Clock; readonly onRetry?: OnRetry | undefined };

const isConflict = (error: { readonly code: string }): error is Conflict => error.code === "conflict";

/**
 * Loads, decides and saves again whenever a concurrent save won: at most 8 attempts, with a pause before each
 * retry; then `unavailable`. Every attempt decides on what is stored at that time.
 */
export const retryOnConflict = async <T, E extends { readonly code: string }>(
  { clock, onRetry }: RetryPorts,
  attempt: () => Promise<Result<T, E | Conflict | Unavailable>>,
): Promise<Result<T, E | Unavailable>> => {
  for (let attempts = 1; ; attempts += 1) {
    const result = await attempt();
    if (result.isOk()) return ok(result.value);
    if (!isConflict(result.error)) return err(result.error);
    if (attempts === MAX_ATTEMPTS) return err(CONTENTION);
    onRetry?.();
    await clock.pause(attempts + 1);
  }
};
