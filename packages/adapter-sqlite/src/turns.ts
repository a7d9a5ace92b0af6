/**
 * How long turns run before the event loop continues with requests, responses and timers, and about how long one turn
 * should take at most.
 */
export const TURN_MS = 2;

export type Turns = {
  /**
   * Runs each of the steps, which must not throw, when it is the account's turn. No other work of the account runs between
   * them. Resolves to their result.
   */
  inTurns<T>(account: string, steps: Iterator<unknown, T>): Promise<T>;
};

/**
 * A round-robin scheduler: SQLite blocks the process while it works, so accounts take turns. In each turn, one step of one
 * piece of work runs. However many calls one account makes at once, a call of another account waits for at most one step
 * of each account before it. The work of one account runs in the order in which it was requested.
 */
export const turns = (): Turns => {
  /** Waiting work by account; lists are never empty. The first account is next. A step returns whether it was the last one. */
  const waiting = new Map<string, (() => boolean)[]>();

  const takeTurn = () => {
    for (const [account, work] of waiting) {
      if (work[0]?.()) work.shift();
      waiting.delete(account);
      if (work.length > 0) waiting.set(account, work);
      return;
    }
  };

  const slice = () => {
    const end = performance.now() + TURN_MS;
    do takeTurn();
    while (waiting.size > 0 && performance.now() < end);
    if (waiting.size > 0) setImmediate(slice);
  };

  const inTurns = <T>(account: string, steps: Iterator<unknown, T>): Promise<T> =>
    new Promise((resolve) => {
      const step = () => {
        const { done, value } = steps.next();
        if (done) resolve(value);
        return done === true;
      };
      if (waiting.size === 0) setImmediate(slice);
      const work = waiting.get(account);
      if (work === undefined) waiting.set(account, [step]);
      else work.push(step);
    });

  return { inTurns };
};
