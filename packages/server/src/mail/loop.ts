/** Work that is repeated, one run after the other. */
export type Loop = {
  /** There may be something to do now: runs at once, or again after the run under way. */
  wake(): void;
  /** Resolves when the run under way has ended; there is no other one. Idempotent. */
  stop(): Promise<void>;
};

/**
 * Runs `work` now, and then again whenever it is woken, at the latest after the number of milliseconds that `work` has resolved to.
 *
 * @param failed called with an error that `work` rejects with, which is a defect: then it runs again after `pauseMs`
 */
export const loop = (
  work: () => Promise<number>,
  { failed, pauseMs }: { readonly failed: (error: unknown) => void; readonly pauseMs: number },
): Loop => {
  let stopped = false;
  let woken = false;
  let timer: NodeJS.Timeout | undefined;
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
    if (woken) start();
    else timer = setTimeout(start, Math.max(wait, 0));
  };
  const start = (): void => {
    clearTimeout(timer);
    running = runOnce();
  };

  start();
  return {
    wake: () => {
      if (stopped) return;
      if (running === undefined) start();
      else woken = true;
    },
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
};
