import { err, type Result, type Unavailable } from "@postern/core";

/** The result of a call that comes too late; null if the call can begin. A call that begins finishes at once. */
export const noTimeLeft = (timeLeft: number | undefined): Result<never, Unavailable> | null =>
  timeLeft !== undefined && timeLeft <= 0
    ? err({ code: "unavailable", cause: { source: "memory", reason: "no time left" } })
    : null;
