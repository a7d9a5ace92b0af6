import type { NonEmpty, Secrets } from "@postern/core";

/** The delay, up to 10 % longer or shorter, so that what failed together is not tried again together. In milliseconds. */
export const jittered = (delay: number, random: Secrets["random"]): number => {
  const tenth = Math.floor(delay / 10);
  return delay - tenth + random(2 * tenth + 1);
};

/** How long to wait before something that has failed is tried again. */
export type Backoff = {
  /** After another failure: the next of the delays, or the last one if there is none left, jittered. In milliseconds. */
  next(): number;
  /** It has worked: the delays begin anew. */
  reset(): void;
};

export const backoff = ([first, ...others]: NonEmpty<number>, random: Secrets["random"]): Backoff => {
  let [delay, left] = [first, others];
  return {
    next: () => {
      const waited = jittered(delay, random);
      const [longer = delay, ...rest] = left;
      [delay, left] = [longer, rest];
      return waited;
    },
    reset: () => {
      [delay, left] = [first, others];
    },
  };
};
