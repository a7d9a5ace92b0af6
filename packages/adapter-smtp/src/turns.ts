import { type AccountId, err, type Result } from "@postern/core";
import { fairQueue } from "./fair-queue.ts";

export type Turns = {
  /**
   * Runs `work` when it is the account's turn, with a signal that is aborted `timeoutMs` after the call, including the
   * wait. If `work` never ran: `full` if the account has too many pending, `late` if its turn did not come in time.
   */
  run<T, E>(
    account: AccountId,
    timeoutMs: number,
    work: (signal: AbortSignal) => Promise<Result<T, E>>,
  ): Promise<Result<T, E | "full" | "late">>;
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
          resolve(err("late"));
        };
        if (!queue.add(turn)) {
          resolve(err("full"));
          return;
        }
        const signal = AbortSignal.timeout(timeoutMs);
        signal.addEventListener("abort", giveUp);
        beginTurns();
      }),
  };
};
