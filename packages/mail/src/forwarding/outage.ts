import type { Cause, Clock, NonEmpty, Secrets } from "@postern/core";
import { isWithin } from "@postern/core/operations";
import { backoff } from "../backoff.ts";
import type { ForwardingPause } from "../spool.ts";

type Reason = ForwardingPause["reason"];

/** Something that mail cannot leave without, and when it is tried again. */
export type Outage = {
  /** What is going on; null if it works, as far as is known. The same object until something about it changes. */
  current(): ForwardingPause | null;
  /** Whether it is not tried before `current().nextAt`. */
  isWaiting(): boolean;
  /** It has failed. Begins the outage, unless it is on. `delay` replaces the first of the delays. */
  begin(reason: Reason, cause: Cause | null, delay?: number): void;
  /** It has failed again when it was tried. */
  goOn(cause: Cause | null): void;
  /** It is tried again now. */
  hurry(): void;
  /** Takes up what is known from before, to be tried again now. */
  restore(pause: ForwardingPause): void;
  /** It can be tried by mail. The delays go on if that fails, too. */
  end(): void;
  /** It works: the delays begin anew with the next failure. */
  works(): void;
};

/** An outage that has not begun. However the clock is set, no wait takes longer than the longest of the delays. */
export const noOutage = (
  { clock, random }: { readonly clock: Pick<Clock, "now">; readonly random: Secrets["random"] },
  delays: NonEmpty<number>,
): Outage => {
  const waits = backoff(delays, random);
  let current: ForwardingPause | null = null;
  let waitsFrom = Number.NEGATIVE_INFINITY;

  const wait = (pause: Omit<ForwardingPause, "nextAt">, delay: number): void => {
    waitsFrom = clock.now();
    current = { ...pause, nextAt: waitsFrom + delay };
  };

  return {
    current: () => current,
    isWaiting: () => current !== null && isWithin(waitsFrom, current.nextAt - waitsFrom, clock.now()),
    begin: (reason, cause, delay) => {
      if (current === null) wait({ reason, cause, since: clock.now() }, delay ?? waits.next());
    },
    goOn: (cause) => {
      if (current !== null) wait({ ...current, cause }, waits.next());
    },
    hurry: () => {
      waitsFrom = Number.NEGATIVE_INFINITY;
    },
    restore: (pause) => {
      current = pause;
    },
    end: () => {
      current = null;
    },
    works: waits.reset,
  };
};
