/**
 * How long turns run before the event loop continues with requests, responses and timers, and roughly the longest that
 * one turn should take.
 */
export const TURN_MS = 2;

export type Turns<Write> = {
  /**
   * Runs each of the steps, which must not throw, when it is the account's turn. No other work of the account runs between
   * them. Resolves to their result.
   */
  inTurns<T>(account: string, steps: Iterator<unknown, T>): Promise<T>;
  /** Passes the write to `commit`, together with others, when it is the account's turn. */
  enqueue(account: string, write: Write): void;
};

/** Work that waits for its turn: a step that returns whether it was the last one of its piece of work, or a write. */
type Work<Write> = { readonly step: () => boolean } | { readonly write: Write };

/** A write, and the account that it belongs to. */
type Turn<Write> = { readonly account: string; readonly write: Write };

/**
 * A round-robin scheduler: SQLite blocks the process while it works, so accounts take turns. In each turn, one step of one
 * piece of work runs. However many calls one account makes at once, a call of another account waits for at most one step
 * of each account before it. The work of one account runs in the order in which it was requested.
 *
 * Writes whose turns follow each other are committed together, because flushing the disk takes longer than most of them.
 * They wait for the commit only while other work has its turns, a few milliseconds at most.
 *
 * @param commit commits the writes and returns those that have to wait for another turn. Must not throw
 */
export const turns = <Write>(commit: (writes: readonly Write[]) => readonly Write[]): Turns<Write> => {
  /** Waiting work by account; lists are never empty. The first account is next. */
  const waiting = new Map<string, Work<Write>[]>();

  /** Takes the turn of the next account: runs a step, or returns a write. */
  const takeTurn = (): Turn<Write> | null => {
    for (const [account, work] of waiting) {
      const [next] = work;
      const isWrite = next !== undefined && "write" in next;
      if (isWrite || next?.step()) work.shift();
      waiting.delete(account);
      if (work.length > 0) waiting.set(account, work);
      return isWrite ? { account, write: next.write } : null;
    }
    return null;
  };

  /** Puts writes back in front of the other work of their accounts, and these accounts next in line. */
  const putBack = (turns: readonly Turn<Write>[]) => {
    const others = [...waiting];
    waiting.clear();
    for (const { account, write } of turns) {
      const before = waiting.get(account);
      if (before === undefined) waiting.set(account, [{ write }]);
      else before.push({ write });
    }
    for (const [account, work] of others) {
      const before = waiting.get(account);
      if (before === undefined) waiting.set(account, work);
      else before.push(...work);
    }
  };

  const slice = () => {
    const end = performance.now() + TURN_MS;
    const writes: Turn<Write>[] = [];
    /** The work of accounts that comes after their writes, and so has to wait for them. */
    const held = new Map<string, Work<Write>[]>();
    do {
      const turn = takeTurn();
      if (turn === null) continue;
      writes.push(turn);
      const rest = waiting.get(turn.account);
      if (rest?.[0] !== undefined && "step" in rest[0]) {
        waiting.delete(turn.account);
        held.set(turn.account, rest);
      }
    } while (waiting.size > 0 && performance.now() < end);
    for (const [account, work] of held) waiting.set(account, work);
    if (writes.length > 0) {
      const later = new Set(commit(writes.map(({ write }) => write)));
      if (later.size > 0) putBack(writes.filter(({ write }) => later.has(write)));
    }
    if (waiting.size > 0) setImmediate(slice);
  };

  const add = (account: string, added: Work<Write>) => {
    if (waiting.size === 0) setImmediate(slice);
    const work = waiting.get(account);
    if (work === undefined) waiting.set(account, [added]);
    else work.push(added);
  };

  return {
    inTurns: (account, steps) =>
      new Promise((resolve) => {
        const step = () => {
          const { done, value } = steps.next();
          if (done) resolve(value);
          return done === true;
        };
        add(account, { step });
      }),
    enqueue: (account, write) => add(account, { write }),
  };
};
