import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const program = fileURLToPath(new URL("support/long-lived-objects.ts", import.meta.url));

/** Far more than any line allocates while the server is loading, about 1,000 at most, and far fewer than the program does. */
const MANY = 10_000;

/** Whether V8 has decided to allocate the program's many objects among the old ones. */
const isPretenured = async (what: "server" | "nothing"): Promise<boolean> => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--trace-pretenuring", "--trace-pretenuring-statistics", program, what],
    { maxBuffer: 100e6 },
  );
  expect(stdout).toContain("300000 objects");
  const decisions = stdout.matchAll(/ratio\) \((\d+), .* => (?:maybe )?tenure$/gm);
  return [...decisions].some(([, created]) => Number(created) > MANY);
};

test.each([
  ["nothing", true],
  ["server", false],
] as const)("after starting %s, V8 pretenures: %s", async (what, expected) => {
  expect(await isPretenured(what)).toBe(expected);
});
