import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

test("embed-core.ts runs and prints the new destinations", () => {
  const output = execFileSync(process.execPath, ["embed-core.ts"], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });
  expect(output).toBe("shop@alias.example forwards to me@work.example,me@home.example\n");
});
