import { fork, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";

/** A process that answers messages, one at a time. */
export type RunningProcess = {
  /** The next message from it. */
  next(): Promise<unknown>;
  /** Its answer to a message. */
  ask(message: unknown): Promise<unknown>;
  stop(): Promise<void>;
};

const BENCH = resolve(import.meta.dirname, "..");

/**
 * Starts a program, whose path can be relative to the directory `bench`, in a process of its own. It ends when this process ends, for
 * any reason, provided that it exits once it is disconnected.
 */
export const startProcess = (
  file: string,
  args: readonly string[] = [],
  options: { readonly execArgv?: readonly string[]; readonly stdio?: StdioOptions } = {},
): RunningProcess => {
  const { execArgv = [], stdio = ["ignore", "ignore", "inherit", "ipc"] } = options;
  const child = fork(resolve(BENCH, file), args, {
    stdio,
    execArgv: [...execArgv],
    serialization: "advanced",
  });
  const ended = once(child, "exit");
  const next = async (): Promise<unknown> => {
    const [message] = await Promise.race([
      once(child, "message"),
      ended.then(([code, signal]) => Promise.reject(new Error(`${file} ended: ${signal ?? code}`))),
    ]);
    return message;
  };
  return {
    next,
    ask: (message) => {
      // Listens first: the answer cannot come before that.
      const answer = next();
      child.send(message as object);
      return answer;
    },
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
};
