import { readFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { run } from "../../src/cli/run.ts";
import type { Ran } from "./run-command.ts";

/** Keeps what is written to it. */
const collector = () => {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
};

/** The signals that a server handles from the beginning of its start. */
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

const runAlone = async (
  variables: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<Ran> => {
  const [output, errors] = [collector(), collector()];
  const own = Object.getOwnPropertyDescriptors(process);
  const listeners = SIGNALS.map((signal) => process.listeners(signal));
  const authorities = variables["NODE_EXTRA_CA_CERTS"];
  const { env, argv, stdin, stdout, stderr } = own;
  const [exitCode, trusted] = [process.exitCode, getCACertificates("default")];
  Object.defineProperties(process, {
    env: { ...env, value: { ...variables } },
    argv: { ...argv, value: [process.execPath, "main.js", ...args] },
    stdin: { configurable: true, value: Readable.from([]) },
    stdout: { configurable: true, value: output.stream },
    stderr: { configurable: true, value: errors.stream },
  });
  process.exitCode = undefined;
  try {
    if (authorities !== undefined) setDefaultCACertificates([readFileSync(authorities)]);
    await run();
    return { status: Number(process.exitCode ?? 0), output: output.text(), errors: errors.text() };
  } finally {
    if (authorities !== undefined) setDefaultCACertificates(trusted);
    Object.defineProperties(process, { env, argv, stdin, stdout, stderr });
    process.exitCode = exitCode;
    for (const [n, signal] of SIGNALS.entries()) {
      for (const listener of process.listeners(signal)) {
        if (!listeners[n]?.includes(listener)) process.off(signal, listener);
      }
    }
  }
};

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command in this process, with these environment variables only: a start of the program takes several times as long. Also
 * shows why a server does not start. What a store logs is not part of the output.
 */
export const runHere = (variables: Readonly<Record<string, string>>, ...args: string[]): Promise<Ran> => {
  // One at a time, because there is only one standard output.
  const ran = last.then(() => runAlone(variables, args));
  last = ran.catch(() => {});
  return ran;
};
