import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const program = fileURLToPath(new URL("support/long-lived-objects.ts", import.meta.url));

/** A line allocates about 1,150 objects at most while the server is loading, and the program's line 11,700 at least before V8 decides. */
const MANY = 4000;

/** Whether V8 has decided to allocate the program's many objects among the old ones. */
const isPretenured = async (what: "server" | "nothing"): Promise<boolean> => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    // With a small young generation V8 decides earlier, at times after fewer than 4,000 objects.
    ["--min-semi-space-size=16", "--trace-pretenuring", "--trace-pretenuring-statistics", program, what],
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
