/**
 * How long accounts have their turns before other work of the process does, in milliseconds: requests to read, responses
 * to write, timers.
 */
const SLICE_MS = 2;

export type Turns = {
  /** Does the work when it is the account's turn, and resolves to what it returns. It must not throw. */
  inTurn<T>(account: string, work: () => T): Promise<T>;
};

/**
 * Work of SQLite blocks the process, so accounts take turns at it: each has one piece of work done, and then the next
 * account has. However many calls one account has under way, another one's next call waits for at most one piece of work
 * of each, and for what else the process does within one round of its event loop. The work of one account is done in the
 * order in which it was requested.
 */
export const turns = (): Turns => {
  /** The work that waits, by account; the first account is the next. None has an empty list. */
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
