import { CausedError, NO_RESPONSE } from "../file/cause.ts";

/**
 * A disk that does not respond blocks each call in the kernel, and with it one of the threads that make such calls for the whole process,
 * look up names and verify tokens. Flushing the store and the spool can block two more, and one has to be left: of libuv's four, only one
 * makes these calls.
 */
const AT_ONCE = Number(process.env["UV_THREADPOOL_SIZE"] ?? 4) >= 5 ? 2 : 1;

/** Calls to a disk that may stop responding: only a few run at the same time, in order of arrival. */
export type DiskCalls = {
  /** Rejects at once with `NO_RESPONSE` while all calls in progress have taken longer than the deadline. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Like `inTurn`, but for work that must be done however late. */
  eventually<T>(work: () => Promise<T>): Promise<T>;
};

export const diskCalls = (timeoutMs: number): DiskCalls => {
  const running = new Set<{ readonly since: number }>();
  const waiting: (() => void)[] = [];
  let free = AT_ONCE;

  const turn = async (): Promise<void> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((begin) => waiting.push(begin));
  };
  const endTurn = () => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };

  const isStuck = () => {
    const late = performance.now() - timeoutMs;
    return running.size === AT_ONCE && [...running].every(({ since }) => since <= late);
  };

  const eventually: DiskCalls["eventually"] = async (work) => {
    await turn();
    const call = { since: performance.now() };
    running.add(call);
    try {
      return await work();
    } finally {
      running.delete(call);
      endTurn();
    }
  };

  return {
    inTurn: async (work) => {
      if (isStuck()) throw new CausedError(NO_RESPONSE);
      return eventually(work);
    },
    eventually,
  };
};
