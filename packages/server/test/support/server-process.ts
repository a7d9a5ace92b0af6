import { spawn } from "node:child_process";
import { once } from "node:events";
import { compiled, main } from "@postern/test-support/built-server";
import { freePort } from "@postern/test-support/free-port";
import { expectNoSecrets } from "./no-secrets.ts";

/**
 * Runs the server as an operator does, with these environment variables only. Its public URL is its own address, so that
 * links in messages lead to it.
 *
 * @param wrapper a command that runs the one after it in its place; none by default
 */
export const startServerProcess = async (
  variables: Record<string, string>,
  wrapper: readonly string[] = [],
) => {
  // Not port 0: the public URL must be known before the server starts.
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const [command = process.execPath, ...args] = [...wrapper, process.execPath, main];
  const server = spawn(command, args, {
    env: { ...compiled, ...variables, PORT: `${port}`, POSTERN_PUBLIC_URL: url },
  });
  let output = "";
  for (const stream of [server.stdout, server.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const ended = once(server, "close").then(([status, signal]) => `${signal ?? `status ${status}`}`);
  const serving = new Promise<null>((resolve) => {
    server.stdout.on("data", () => {
      if (output.includes('"msg":"serving"')) resolve(null);
    });
  });
  const how = await Promise.race([serving, ended]);
  if (how !== null) throw new Error(`the server did not start (${how}): ${output}`);
  return {
    url,
    pid: server.pid,
    /** The port that receives mail. */
    mailPort: () => Number(/"mail":"[^"]*:(\d+)"/.exec(output)?.[1]),
    /** Everything that it has written so far. */
    output: () => output,
    /** Ends it at once, as a crash does. */
    kill: () => server.kill("SIGKILL"),
    /** Resolves once it has ended, for whatever reason. */
    ended: ended.then(() => {}),
    /** Stops it, and returns its complete output. */
    stop: async (): Promise<string> => {
      server.kill("SIGTERM");
      await ended;
      expectNoSecrets(output, variables);
      return output;
    },
  };
};
