import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";

const SOURCES = join(import.meta.dirname, "../src");

/** Prints the URL of each module that the program loads, when it ends. */
const printing = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  process.on("exit", () => console.log(loaded.join("\\n")));
`)}`;

/** What the program loads, run from its sources. */
const loadedBy = async (...args: readonly string[]): Promise<readonly string[]> => {
  const env = { POSTERN_SQLITE_PATH: "/nowhere/postern.db" };
  const child = spawn(process.execPath, ["--import", printing, join(SOURCES, "main.ts"), ...args], { env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return output.split("\n").filter((line) => line.startsWith("file:"));
};

/** Only a server needs them, or a store that is not configured. */
const OTHERS =
  /\/src\/serve\/|\/node_modules\/(?:fastify|inversify|prom-client|birpc|pg|@aws-sdk|nodemailer)\//;

test.each([
  [["--help"]],
  [["account", "list"]],
  [["alias", "to", "a", "b", "c"]],
  [["mail", "queue", "list"]],
  [["store", "check"]],
])("%j loads nothing that only serving or another store needs", async (args) => {
  const loaded = await loadedBy(...args);
  expect(loaded.some((url) => url.endsWith("/src/commands/commands.ts"))).toBe(true);
  expect(loaded.filter((url) => OTHERS.test(url))).toEqual([]);
});
