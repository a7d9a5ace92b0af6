import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { ended, run } from "./support/main-process.ts";

/* A disk that does not respond holds a thread in the kernel, where nothing ends it: the process ends anyway. */

/** Runs the program, whose spool's thread waits in the kernel for a pipe that nobody writes to. A minute takes only `minuteMs`. */
const runStuck = async (minuteMs: number, ...options: readonly string[]) => {
  const { directory, variables } = await newMailEnvironment();
  const [pipe, stuck] = [join(directory, "pipe"), join(directory, "stuck")];
  execFileSync("mkfifo", [pipe]);
  const program = `
    import { openSync, writeFileSync } from "node:fs";
    import { workerData } from "node:worker_threads";
    if (workerData?.directory !== undefined) {
      writeFileSync(${JSON.stringify(stuck)}, "");
      openSync(${JSON.stringify(pipe)});
    }
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (work, ms, ...rest) => setTimeout(work, ms === 60_000 ? ${minuteMs} : ms, ...rest);`;
  const faults = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` };
  return {
    stuck,
    spool: variables.POSTERN_SPOOL_PATH,
    program: run({ ...variables, ...faults }, ...options),
  };
};

test.each([[], ["mail", "queue", "list"]])(
  "a start, or a command, says so after a minute, and ends",
  {
    timeout: 60_000,
  },
  async (...options) => {
    const { spool, program } = await runStuck(1_000, ...options);
    expect(await ended(program)).toEqual({
      output: "",
      errors: expect.stringContaining(`${spool} cannot be opened: the disk does not respond`),
      status: 1,
      signal: null,
    });
  },
);

test("SIGTERM ends a start that hangs", { timeout: 60_000 }, async () => {
  const { stuck, program } = await runStuck(60_000);
  const end = ended(program);
  await expect.poll(() => existsSync(stuck), { timeout: 30_000 }).toBe(true);
  program.kill("SIGTERM");
  expect(await end).toEqual({ output: "", errors: "", status: null, signal: "SIGTERM" });
});
