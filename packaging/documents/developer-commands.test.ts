import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { block } from "../../scripts/document-blocks.ts";
import { outputOf } from "./program.ts";

const CHECKOUT = join(import.meta.dirname, "../..");
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8")));

const linesOf = (text: string): readonly string[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.replace(/\s+#.*$/, ""));

test.each([
  ["README.md", block("README.md", "Postern")],
  ["CONTRIBUTING.md", block("CONTRIBUTING.md", "Contributing")],
])("the commands at the top of %s are scripts", (_, text) => {
  const commands = linesOf(text).map((line) => /^npx -y pnpm@12 (\S+)$/.exec(line)?.[1] ?? line);
  expect(commands.length).toBeGreaterThan(1);
  expect(commands.filter((command) => !Object.hasOwn(scripts, command))).toEqual([]);
});

describe("the recipes to run one test", () => {
  // Only lists what they would run: the tests themselves run in the suite.
  test.concurrent.each(linesOf(block("CONTRIBUTING.md", "Run one test")))("%s", async (line) => {
    expect(scripts["test"]).toBe("vitest run");
    const listing = line.replace("npx -y pnpm@12 test", "node_modules/.bin/vitest list");
    expect(listing).not.toBe(line);
    expect((await outputOf("sh", ["-euc", listing], CHECKOUT)).trim().split("\n").length).toBeGreaterThan(1);
  });
});
