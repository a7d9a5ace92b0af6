import { RELAY_PAUSE } from "../../mail/copy.ts";
import type { Clock } from "../../ports.ts";

/** After this many refusals without any acceptance in between, a pause begins. */
export const REFUSALS_IN_A_ROW = 20;

/** Five minutes in which something is not tried. */
export type Pause = {
  /** It begins now, again if it was on already. */
  begin(): void;
  isOn(): boolean;
  /** In epoch milliseconds; in the past if it is not on. */
  endsAt(): number;
};

/** A pause that has not begun. It is never longer than `RELAY_PAUSE`, whatever happens to the clock. */
export const newPause = (clock: Pick<Clock, "now">): Pause => {
  let begunAt = Number.NEGATIVE_INFINITY;
  const endsAt = () => begunAt + RELAY_PAUSE;
  return {
    begin: () => {
      begunAt = clock.now();
    },
    isOn: () => {
      const now = clock.now();
      // A clock that was set back must not make it last until the clock has caught up.
      return begunAt <= now && now < endsAt();
    },
    endsAt,
  };
};
