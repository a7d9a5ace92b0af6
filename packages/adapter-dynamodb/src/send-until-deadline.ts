import { setTimeout } from "node:timers/promises";
import { err, ok, type Result, type Unavailable } from "@postern/core";
import { nameOf, unavailable } from "./cause.ts";
import { classifyError, type Failure } from "./classify-error.ts";

/**
 * Pauses are random: up to 25 ms, then up to twice as long each time ("full jitter"), never above 400 ms. After a conflict,
 * never above 100 ms: a caller that waits longer than the others hardly ever finds the item free, and fails.
 */
const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 400;
const MAX_PAUSE_AFTER_CONFLICT_MS = 100;

/** Resolves after these milliseconds, and rejects if the signal aborts first. */
type Wait = (
  milliseconds: number,
  value: undefined,
  options: { readonly signal: AbortSignal },
) => Promise<unknown>;

/** Conditions of a transaction did not hold, and none of it was applied. */
export type Refused = Extract<Failure, { code: "refused" }>;

/** The deadline of a call that starts now, and whose caller waits for `timeLeft` milliseconds at most. */
export const deadline = (timeoutMs: number, timeLeft = timeoutMs): AbortSignal =>
  timeLeft <= 0 ? AbortSignal.abort() : AbortSignal.timeout(Math.ceil(Math.min(timeoutMs, timeLeft)));

/** Rejects when the signal aborts, even where the SDK itself ignores the signal, as when it looks up credentials. */
export const beforeDeadline = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });

/** Waits before attempt number `attempt` (2, 3, …), at most `most` milliseconds; false if the deadline passes first. */
export const pause = async (
  attempt: number,
  signal: AbortSignal,
  most = MAX_PAUSE_MS,
  wait: Wait = setTimeout,
): Promise<boolean> => {
  const longest = Math.min(most, FIRST_PAUSE_MS * 2 ** (attempt - 2));
  try {
    await wait(Math.random() * longest, undefined, { signal });
    return true;
  } catch {
    return false;
  }
};

/** The failure of a call whose deadline has passed. `last` names the failure of its last attempt; null if there was no response. */
export const tooLate = (last: string | null): Unavailable =>
  unavailable(last === null ? "no response before the deadline" : `${last} until the deadline`);

/**
 * Sends a request, and retries it until the deadline unless its failure is permanent. `send` must send the same
 * request each time, so that it does not matter which attempts were applied: a read, or a transaction with one token.
 *
 * Returns a refusal only if no earlier attempt had an unclear outcome: such an attempt may still be in flight, and
 * could be applied even though a later one was refused.
 */
export const sendUntilDeadline = async <T>(
  signal: AbortSignal,
  send: (options: { readonly abortSignal: AbortSignal }) => Promise<T>,
  wait?: Wait,
): Promise<Result<T, Refused | Unavailable>> => {
  let last: string | null = null;
  let unclear: string | null = null;
  if (signal.aborted) return err(tooLate(last));
  for (let attempt = 1; ; attempt += 1) {
    let most = MAX_PAUSE_MS;
    try {
      return ok(await beforeDeadline(signal, send({ abortSignal: signal })));
    } catch (error) {
      const failure = classifyError(error);
      if (failure.code === "refused") {
        return err(
          unclear === null ? failure : unavailable(`${unclear} left unclear whether it was applied`),
        );
      }
      const name = nameOf(error);
      if (failure.code === "permanent") return err(unavailable(name));
      // At the deadline the request is aborted, which says nothing about what is wrong.
      if (!signal.aborted) last = name;
      if (failure.code === "unclear") unclear ??= name;
      if (failure.code === "contended") most = MAX_PAUSE_AFTER_CONFLICT_MS;
    }
    if (!(await pause(attempt + 1, signal, most, wait))) return err(tooLate(last));
  }
};

/** Likewise, for a request without conditions, which cannot be refused. */
export const readUntilDeadline = async <T>(
  signal: AbortSignal,
  send: (options: { readonly abortSignal: AbortSignal }) => Promise<T>,
): Promise<Result<T, Unavailable>> =>
  (await sendUntilDeadline(signal, send)).mapErr((error) =>
    error.code === "unavailable" ? error : unavailable("a read was refused"),
  );
