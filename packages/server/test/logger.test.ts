import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { linesOf } from "./support/main-process.ts";

const LOGGER = new URL("../src/serve/observability/logger.ts", import.meta.url).href;

/** Runs this code in a process of its own, after `logLines`, which logs numbered lines, up to 500 bytes long. */
const start = (code: string) => {
  const program = `
    import { flushed, newLogger } from "${LOGGER}";
    const logger = newLogger("info");
    const logLines = (count) => {
      for (let n = 0; n < count; n += 1) logger.info({ n, text: "é".repeat(n % 250) }, "line");
    };
    ${code}`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program]);
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
};

const numbersIn = (log: string): number[] => linesOf(log).map(({ n }) => z.number().parse(n));

const ALL = Array.from({ length: 1010 }, (_, n) => n);

test.for([
  ["waits for the log", "logLines(1010); await flushed(logger); process.exit();"],
  ["has nothing more to do", "logLines(1010);"],
] as const)("no line is lost, cut or out of order if the process %s", async ([, code]) => {
  expect(numbersIn(await text(start(code).stdout))).toEqual(ALL);
});

// A batch that is being written in the background can come after the last lines.
test.for([
  ["exits at once", "logLines(1010); process.exit();"],
  ["fails", "logLines(1010); throw new Error();"],
] as const)("no line is lost or cut if the process %s", async ([, code]) => {
  expect(numbersIn(await text(start(code).stdout)).toSorted((a, b) => a - b)).toEqual(ALL);
});

test("a line does not wait for others", async () => {
  const child = start("logLines(1); setInterval(() => {}, 1000);");
  const [line] = await once(child.stdout, "data");
  expect(numbersIn(String(line))).toEqual([0]);
});

test("of what a reader does not read, up to a megabyte is kept, in whole lines, and the end does not wait", async () => {
  const child = start(
    "logLines(20_000); await flushed(logger); console.error('over'); logger.flush(() => process.exit());",
  );
  await once(child.stderr, "data");
  const log = await text(child.stdout);
  expect(log.length).toBeGreaterThan(0.6 * 2 ** 20);
  expect(Buffer.byteLength(log)).toBeLessThan(1.1 * 2 ** 20);
  const numbers = numbersIn(log);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
});
