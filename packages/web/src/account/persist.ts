import { ClientError } from "@postern/client";
import { signal } from "@preact/signals";
import { noticeEnd } from "../api/api.ts";

/** In seconds, if the service does not say how long to wait. */
const PAUSE = 5;

/** Whether something waits until the service answers again. */
export const isWaiting = signal(false);

/** Resolves after so many milliseconds, or as soon as it is cancelled. */
export const pause = (milliseconds: number, cancelled: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      cancelled.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    cancelled.addEventListener("abort", end);
    if (cancelled.aborted) end();
  });

/** Whether the same request can succeed later: without a change to it, or when somebody has signed in again. */
const isPassing = ({ problem }: ClientError): boolean =>
  problem.code === "rate_limited" ||
  problem.code === "unavailable" ||
  problem.code === "request_timeout" ||
  problem.code === "unauthorized" ||
  (problem.code === "unreachable" && problem.reason !== "redirect");

/** Reads something, as often as it takes: for what goes on by itself while nobody looks. */
export const persist = async <T>(read: () => Promise<T>, cancelled: AbortSignal): Promise<T> => {
  for (;;) {
    try {
      const found = await read();
      isWaiting.value = false;
      return found;
    } catch (error) {
      if (cancelled.aborted || !(error instanceof ClientError) || !isPassing(error)) {
        isWaiting.value = false;
        throw error;
      }
      noticeEnd(error);
      isWaiting.value = true;
      await pause(1_000 * (error.retryAfter ?? PAUSE), cancelled);
    }
  }
};
