import type { Clock } from "@postern/core";
import { isWithin } from "@postern/core/operations";
import { RELAY_PAUSE } from "../copy/copy.ts";

/** After this many refusals without any acceptance in between, a pause begins. */
export const REFUSALS_IN_A_ROW = 20;

/** Five minutes in which something is not tried. */
export type Pause = {
  /** Begins the pause now, or restarts it if it is already on. */
  begin(): void;
  end(): void;
  isOn(): boolean;
};

/** A pause that has not begun. It is never longer than `RELAY_PAUSE`, whatever happens to the clock. */
export const newPause = (clock: Pick<Clock, "now">): Pause => {
  let begunAt = Number.NEGATIVE_INFINITY;
  return {
    begin: () => {
      begunAt = clock.now();
    },
    end: () => {
      begunAt = Number.NEGATIVE_INFINITY;
    },
    isOn: () => isWithin(begunAt, RELAY_PAUSE, clock.now()),
  };
};
