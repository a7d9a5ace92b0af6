import type { AccountId } from "@postern/core";
import { fairQueue } from "./fair-queue.ts";

export type Turns = {
  /**
   * Runs `work` when it is the account's turn, with a signal that is aborted `timeoutMs` after the call, including the
   * wait. Null if `work` never ran: the account has too many pending, or its turn did not come in time.
   */
  run<R>(account: AccountId, timeoutMs: number, work: (signal: AbortSignal) => Promise<R>): Promise<R | null>;
};

type Turn = { readonly account: AccountId; readonly begin: () => void };

/** Gives accounts turns on something that serves `servers` requests at a time, in the order of `fairQueue`. */
export const fairTurns = (size: { readonly places: number; readonly servers: number }): Turns => {
  const queue = fairQueue<Turn>(size);

  const beginTurns = () => {
    for (let turn = queue.next(); turn !== undefined; turn = queue.next()) turn.begin();
  };

  const leave = (turn: Turn) => {
    queue.leave(turn);
    beginTurns();
  };

  return {
    run: (account, timeoutMs, work) =>
      new Promise((resolve) => {
        const turn: Turn = {
          account,
          begin: () => {
            signal.removeEventListener("abort", giveUp);
            resolve(
              Promise.resolve(signal)
                .then(work)
                .finally(() => leave(turn)),
            );
          },
        };
        const giveUp = () => {
          leave(turn);
          resolve(null);
        };
        if (!queue.add(turn)) {
          resolve(null);
          return;
        }
        const signal = AbortSignal.timeout(timeoutMs);
        signal.addEventListener("abort", giveUp);
        beginTurns();
      }),
  };
};
