import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import * as z from "zod";
import { expectNoSecrets } from "./no-secrets.ts";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const FirstLine = z.object({ msg: z.literal("serving"), url: z.string() });

/** Runs the server as an operator does, with these environment variables only. The test must kill it. */
export const startKillableServer = async (variables: Record<string, string>) => {
  const server = spawn(process.execPath, [main], { env: variables, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void server.kill("SIGKILL"));
  let output = "";
  server.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const ended = once(server, "close");
  const [line] = await Promise.race([once(server.stdout, "data"), ended]);
  return {
    url: FirstLine.parse(JSON.parse(String(line))).url,
    kill: () => server.kill("SIGKILL"),
    /** Resolves once it has ended; fails unless it was killed. */
    killed: ended.then(([code, signal]) => {
      expect([code, signal]).toEqual([null, "SIGKILL"]);
      expectNoSecrets(output, variables);
    }),
  };
};
