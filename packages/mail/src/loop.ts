/** Work that is repeated, one run after the other. */
export type Loop = {
  /** There may be something to do now: starts a run at once, or, during a run or its rest, as soon as the rest is over. */
  wake(): void;
  /** Resolves when the current run has ended; no further run starts. Idempotent. */
  stop(): Promise<void>;
};

/**
 * Runs `work` now, then again whenever it is woken, or at the latest after the number of milliseconds that `work` resolved to.
 *
 * @param failed called with an error that `work` rejects with, which is a defect: then it runs again after `pauseMs`
 * @param restMs for how long after a run it is not woken: what wakes it meanwhile causes one run after that; 0 by default
 */
export const loop = (
  work: () => Promise<number>,
  {
    failed,
    pauseMs,
    restMs = 0,
  }: {
    readonly failed: (error: unknown) => void;
    readonly pauseMs: number;
    readonly restMs?: number;
  },
): Loop => {
  let stopped = false;
  let woken = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let nextAt = Infinity;
  let restsUntil = 0;
  let running: Promise<void> | undefined;

  const runOnce = async (): Promise<void> => {
    woken = false;
    let wait = pauseMs;
    try {
      wait = await work();
    } catch (error) {
      failed(error);
    }
    running = undefined;
    if (stopped) return;
    const now = performance.now();
    restsUntil = now + restMs;
    startAt(now + wait);
    if (woken) startAt(restsUntil);
  };
  const start = (): void => {
    clearTimeout(timer);
    nextAt = Infinity;
    running = runOnce();
  };
  /** Starts at this time, unless an earlier start is due. */
  const startAt = (time: number): void => {
    nextAt = Math.min(nextAt, time);
    clearTimeout(timer);
    timer = setTimeout(start, Math.max(nextAt - performance.now(), 0));
  };

  start();
  return {
    wake: () => {
      if (stopped) return;
      if (running !== undefined) woken = true;
      else if (performance.now() >= restsUntil) start();
      else startAt(restsUntil);
    },
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
};
