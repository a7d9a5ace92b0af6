import { sharedClock } from "./shared-clock.ts";

/*
 * Loaded before a program: its time is that of the clock in the file that SHARED_CLOCK names, and each reading advances it by a
 * millisecond. Deadlines pass thirty times as late, as the machine may be busy.
 */

const clock = sharedClock(process.env["SHARED_CLOCK"] ?? "");
Date.now = () => {
  clock.advance(1);
  return clock.now();
};

const timeout = AbortSignal.timeout.bind(AbortSignal);
AbortSignal.timeout = (milliseconds) => timeout(30 * milliseconds);
