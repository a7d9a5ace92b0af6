import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { generated } from "./support/generated.ts";

test("src/generated is up to date: `pnpm openapi` writes it", async () => {
  for (const [name, text] of Object.entries(await generated())) {
    const written = readFileSync(new URL(`../src/generated/${name}`, import.meta.url), "utf8");
    // Not `toBe`: the difference of two files of thousands of lines would fill the screen.
    expect(written === text, `${name} is stale`).toBe(true);
  }
});
