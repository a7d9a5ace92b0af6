import { setTimeout } from "node:timers/promises";
import type { Unavailable } from "@postern/core";
import { err, ok, type Result } from "neverthrow";
import { type Failure, failureOf } from "./classify-error.ts";

/** Pauses are random up to 25 ms, then up to twice as long each time ("full jitter"), never above 400 ms. */
const FIRST_PAUSE = 25;
const LONGEST_PAUSE = 400;

export const UNAVAILABLE: Unavailable = { code: "unavailable" };

/** Conditions of a transaction did not hold, and nothing of it was applied. */
export type Refused = Extract<Failure, { code: "refused" }>;

/** Aborts when a call of the store, beginning now, has to end. `patience` is in milliseconds. */
export const deadline = ({ patience }: { readonly patience: number }): AbortSignal =>
  AbortSignal.timeout(patience);

/** The SDK does not give up on everything when its signal tells it to (finding credentials, for one); this does. */
const unlessLate = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });

/** Waits before try number `next` (2, 3, …); false when there is no time left for it. */
export const pause = async (next: number, signal: AbortSignal): Promise<boolean> => {
  const longest = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (next - 2));
  try {
    await setTimeout(Math.random() * longest, undefined, { signal });
    return true;
  } catch {
    return false;
  }
};

/**
 * Sends a request, again and again while that may help and there is time. Each time it has to be the same one, so
 * that it does not matter which of them were applied: a read, or a transaction under one token.
 *
 * A refusal is told only when no earlier attempt was left unclear: that one may be on its way still, and be
 * applied though a later one was refused.
 */
export const persist = async <T>(
  signal: AbortSignal,
  send: (options: { readonly abortSignal: AbortSignal }) => Promise<T>,
): Promise<Result<T, Refused | Unavailable>> => {
  let unclear = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return ok(await unlessLate(signal, send({ abortSignal: signal })));
    } catch (error) {
      const failure = failureOf(error);
      if (failure.code === "refused") return err(unclear ? UNAVAILABLE : failure);
      if (failure.code === "hopeless") return err(UNAVAILABLE);
      unclear ||= failure.code === "unclear";
    }
    if (!(await pause(attempt + 1, signal))) return err(UNAVAILABLE);
  }
};
