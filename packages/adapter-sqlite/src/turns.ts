/** How long work runs before the event loop continues with requests, responses and timers. */
const SLICE_MS = 2;

export type Turns = {
  /** Runs `work`, which must not throw, when it is the account's turn. Resolves to its result. */
  inTurn<T>(account: string, work: () => T): Promise<T>;
};

/**
 * A round-robin scheduler: SQLite blocks the process while it works, so accounts take turns. In each turn, one piece of
 * work runs. However many calls one account makes at once, a call of another account waits for at most one piece of
 * work of each account before it. The work of one account runs in the order in which it was requested.
 */
export const turns = (): Turns => {
  /** Waiting work by account, never an empty list. The first account is next. */
  const waiting = new Map<string, (() => void)[]>();

  const next = (): (() => void) | undefined => {
    for (const [account, works] of waiting) {
      const work = works.shift();
      waiting.delete(account);
      if (works.length > 0) waiting.set(account, works);
      return work;
    }
    return undefined;
  };

  const slice = () => {
    const end = performance.now() + SLICE_MS;
    do next()?.();
    while (waiting.size > 0 && performance.now() < end);
    if (waiting.size > 0) setImmediate(slice);
  };

  return {
    inTurn: (account, work) =>
      new Promise((resolve) => {
        if (waiting.size === 0) setImmediate(slice);
        const own = waiting.get(account);
        if (own === undefined) waiting.set(account, [() => resolve(work())]);
        else own.push(() => resolve(work()));
      }),
  };
};
