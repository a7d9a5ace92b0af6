import type { Result } from "neverthrow";
import type { Unavailable } from "../errors.ts";

/**
 * What a port returns. A port must neither reject nor throw, or the operation that calls it rejects: every external failure is a value,
 * with its `cause` for the operator's log.
 *
 * `timeLeft` is how much longer the caller will wait, in milliseconds. The call ends by then, with `unavailable` unless its outcome is
 * known. If no time is left (0), it fails with `unavailable` and changes nothing. A store can have a shorter timeout of its own, which is
 * the only one if `timeLeft` is omitted.
 */
export type PortResult<T, E = never> = Promise<Result<T, E | Unavailable>>;

/**
 * Called with each port failure that no result reports, because the operation succeeded in its main purpose. For the operator's
 * log; must not throw.
 */
export type OnUnreported = (failure: Unavailable) => void;
