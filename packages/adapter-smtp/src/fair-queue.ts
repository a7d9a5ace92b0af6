import type { AccountId } from "@postern/core";

type Request = { readonly account: AccountId };

/** Requests of many accounts, waiting to be served or being served. */
export type FairQueue<T extends Request> = {
  /** Adds the request. Returns false if its account already holds at least as many places as are free. */
  add(request: T): boolean;
  /** The next request to serve; undefined if none is waiting, or if as many as there are servers are already being served. */
  next(): T | undefined;
  /** Frees the place of a request, whether it was waiting or being served. */
  leave(request: T): void;
};

/**
 * An empty queue with `places` places. Accounts take turns; the requests of one account are served in order.
 *
 * An account may hold only as many places as are free: at most half of them, and the last place goes only to an account
 * that holds none. This is the dynamic threshold of Choudhury and Hahne, "Dynamic queue length thresholds for
 * shared-memory packet switches" (1998), with a factor of 1.
 */
export const fairQueue = <T extends Request>({
  places,
  servers,
}: {
  readonly places: number;
  readonly servers: number;
}): FairQueue<T> => {
  const serving = new Set<T>();
  /** The waiting requests by account, accounts in the order of their turns. */
  const lines = new Map<AccountId, readonly T[]>();

  const lineOf = (account: AccountId) => lines.get(account) ?? [];
  const setLine = (account: AccountId, line: readonly T[]) =>
    line.length === 0 ? lines.delete(account) : lines.set(account, line);
  const all = () => [...serving, ...[...lines.values()].flat()];

  return {
    add: (request) => {
      const pending = all();
      const held = pending.filter(({ account }) => account === request.account).length;
      if (held >= places - pending.length) return false;
      setLine(request.account, [...lineOf(request.account), request]);
      return true;
    },
    next: () => {
      const [turn] = lines;
      if (turn === undefined || serving.size >= servers) return undefined;
      const [account, [first, ...rest]] = turn;
      lines.delete(account);
      setLine(account, rest);
      if (first !== undefined) serving.add(first);
      return first;
    },
    leave: (request) => {
      serving.delete(request);
      setLine(
        request.account,
        lineOf(request.account).filter((waiting) => waiting !== request),
      );
    },
  };
};
