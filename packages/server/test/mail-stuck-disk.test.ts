import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { ended, run } from "./support/main-process.ts";

/* A disk that does not respond holds a thread in the kernel, where nothing can end it: the process ends anyway. */

/**
 * Runs the program with its spool's thread waiting in the kernel for a pipe that nobody writes to: from the start, or once `block` is
 * called. A minute takes only `minuteMs`, and the time in which the mail plane has to stop a second.
 */
const runStuck = async (
  { from, minuteMs }: { readonly from: "start" | "block"; readonly minuteMs: number },
  ...options: readonly string[]
) => {
  const { directory, variables } = await newMailEnvironment();
  const [pipe, blocking, stuck] = [
    join(directory, "pipe"),
    join(directory, "blocking"),
    join(directory, "stuck"),
  ];
  execFileSync("mkfifo", [pipe]);
  const block = () => writeFileSync(blocking, "");
  if (from === "start") block();
  const program = `
    import { existsSync, openSync, writeFileSync } from "node:fs";
    import { workerData } from "node:worker_threads";
    const { setTimeout } = globalThis;
    const shorter = new Map([[60_000, ${minuteMs}], [12_000, 1_000]]);
    globalThis.setTimeout = (work, ms, ...rest) => setTimeout(work, shorter.get(ms) ?? ms, ...rest);
    const blockIfWanted = () => {
      if (!existsSync(${JSON.stringify(blocking)})) return;
      writeFileSync(${JSON.stringify(stuck)}, "");
      openSync(${JSON.stringify(pipe)});
    };
    if (workerData?.directory !== undefined) {
      blockIfWanted();
      setInterval(blockIfWanted, 50);
    }`;
  const faults = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` };
  return {
    block,
    isStuck: () => expect.poll(() => existsSync(stuck)).toBe(true),
    spool: variables.POSTERN_SPOOL_PATH,
    program: run({ ...variables, ...faults }, ...options),
  };
};

test.each([
  ["a start", []],
  ["a command", ["mail", "queue", "list"]],
])("%s reports the stuck disk after a minute, and ends", async (_, options) => {
  const { spool, program } = await runStuck({ from: "start", minuteMs: 1_000 }, ...options);
  expect(await ended(program)).toEqual({
    output: "",
    errors: expect.stringContaining(`${spool} cannot be opened: the disk does not respond`),
    status: 1,
    signal: null,
  });
});

test("SIGTERM ends a start that hangs", async () => {
  const { isStuck, program } = await runStuck({ from: "start", minuteMs: 60_000 });
  const end = ended(program);
  await isStuck();
  program.kill("SIGTERM");
  expect(await end).toEqual({ output: "", errors: "", status: null, signal: "SIGTERM" });
});

test("SIGTERM ends a server that has lost its spool's disk", async () => {
  const { block, isStuck, program } = await runStuck({ from: "block", minuteMs: 60_000 });
  const end = ended(program);
  await once(program.stdout, "data");
  block();
  await isStuck();
  program.kill("SIGTERM");
  expect(await end).toMatchObject({
    output: expect.stringContaining("the mail plane did not stop in time and was terminated"),
    errors: "",
    status: 0,
  });
});
