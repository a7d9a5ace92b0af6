import { spawn } from "node:child_process";
import { once } from "node:events";
import { compiled, main } from "@postern/test-support/built-server";
import { expect, onTestFinished } from "vitest";
import * as z from "zod";
import { expectNoSecrets } from "./no-secrets.ts";

const Line = z.object({ msg: z.string(), url: z.string().optional() });

/** Runs the server as an operator does, with these environment variables only. The test must kill it. */
export const startKillableServer = async (variables: Record<string, string>) => {
  const server = spawn(process.execPath, [main], {
    env: { ...compiled, ...variables },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void server.kill("SIGKILL"));
  let output = "";
  const serving = new Promise<string>((resolve) => {
    server.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      const lines = output
        .split("\n")
        .slice(0, -1)
        .map((line) => Line.parse(JSON.parse(line)));
      const url = lines.find(({ msg }) => msg === "serving")?.url;
      if (url !== undefined) resolve(url);
    });
  });
  const ended = once(server, "close");
  const url = await Promise.race([
    serving,
    ended.then(() => expect.unreachable(`it did not start: ${output}`)),
  ]);
  return {
    url,
    kill: () => server.kill("SIGKILL"),
    /** Resolves once it has ended; fails unless it was killed. */
    killed: ended.then(([code, signal]) => {
      expect([code, signal]).toEqual([null, "SIGKILL"]);
      expectNoSecrets(output, variables);
    }),
  };
};
