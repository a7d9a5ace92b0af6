import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { z } from "zod";
import { expectNoSecrets } from "./no-secrets.ts";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const FirstLine = z.object({ msg: z.literal("serving"), url: z.string() });

/** The server as an operator runs it; nothing of this process's environment reaches it. Only its death ends it. */
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
    /** Once it is gone, and by nothing but that. */
    killed: ended.then(([code, signal]) => {
      expect([code, signal]).toEqual([null, "SIGKILL"]);
      expectNoSecrets(output, variables);
    }),
  };
};
