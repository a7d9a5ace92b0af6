import { execFile } from "node:child_process";
import { compiled, main } from "@postern/test-support/built-server";

export type Ran = { readonly status: number; readonly output: string; readonly errors: string };

/** Starts the program with these environment variables only. */
export const start = (variables: Record<string, string>, ...args: string[]) => {
  const { promise: ended, resolve } = Promise.withResolvers<Ran>();
  const child = execFile(
    process.execPath,
    // As bin/postern-server does.
    ["--", main, ...args],
    { env: { ...compiled, ...variables }, maxBuffer: 2 ** 26 },
    (_, output, errors) => resolve({ status: child.exitCode ?? -1, output, errors }),
  );
  return { child, ended };
};

/** Runs the program with these environment variables only. */
export const run = (variables: Record<string, string>, ...args: string[]): Promise<Ran> =>
  start(variables, ...args).ended;
