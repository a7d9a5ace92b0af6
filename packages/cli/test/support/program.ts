import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { newDirectory } from "@postern/test-support/new-directory";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** Processes start sooner with what earlier ones have compiled. */
const compiled = newDirectory();

type Variables = Readonly<Record<string, string>>;

const environment = (variables: Variables) => ({
  PATH: process.env["PATH"] ?? "",
  NODE_COMPILE_CACHE: compiled,
  NO_COLOR: "1",
  TZ: "UTC",
  ...variables,
});

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

const started = (variables: Variables, args: readonly string[]) =>
  spawn(process.execPath, [main, ...args], { env: environment(variables) });

/** Runs the program with this standard input, which is no terminal. */
export const run = async (variables: Variables, args: readonly string[], input = ""): Promise<Ended> => {
  const child = started(variables, args);
  // It may end without reading it.
  child.stdin.on("error", () => {}).end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { code, stdout, stderr };
};

/** Runs the program, and reads nothing of what it writes to standard output. */
export const runUnread = async (variables: Variables, args: readonly string[]): Promise<Ended> => {
  const child = started(variables, args);
  child.stdin.end();
  child.stdout.destroy();
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  return { code, stdout: "", stderr };
};

/** Begins to run the program. */
export const begin = (variables: Variables, args: readonly string[]) => {
  const child = started(variables, args);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  child.stdout.resume();
  const ended = once(child, "close");
  return {
    stderr: () => stderr,
    ended: async (): Promise<unknown> => (await ended)[0],
    kill: () => child.kill(),
  };
};

const quoted = (argument: string): string => `'${argument.replaceAll("'", "'\\''")}'`;

/** What somebody types, once the terminal shows the text; or what else happens then, before they type that. */
type Answer = readonly [shown: string, typed: string | (() => Promise<string>)];

/**
 * Runs a line of shell on a terminal (by the `script` command), in which `postern` is the program. Afterwards, the terminal shows the exit
 * code and its settings.
 *
 * @returns all that the terminal showed
 */
export const lineOnTerminal = async (
  variables: Variables,
  line: string,
  { columns, answers = [] }: { readonly columns: number; readonly answers?: readonly Answer[] },
): Promise<string> => {
  const program = `postern() { ${quoted(process.execPath)} ${quoted(main)} "$@"; }`;
  const command = `stty cols ${columns}; ${program}; ${line}\necho "exit code $?"; stty -a`;
  const child = spawn("script", ["--quiet", "--flush", "--command", command, "/dev/null"], {
    env: { ...environment(variables), TERM: "xterm", SHELL: "/bin/sh" },
  });
  let shown = "";
  let read = 0;
  const pending = [...answers];
  const answer = async () => {
    const [next] = pending;
    const at = next === undefined ? -1 : shown.indexOf(next[0], read);
    if (next === undefined || at === -1) return;
    pending.shift();
    read = at + next[0].length;
    child.stdin.write(typeof next[1] === "string" ? next[1] : await next[1]());
    await answer();
  };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    shown += chunk;
    void answer();
  });
  await once(child, "close");
  return shown;
};

/** Runs the program on a terminal of 100 columns. */
export const onTerminal = (
  variables: Variables,
  args: readonly string[],
  answers: readonly Answer[] = [],
): Promise<string> =>
  lineOnTerminal(variables, ["postern", ...args].map(quoted).join(" "), { columns: 100, answers });
