import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { newDirectory } from "@postern/test-support/new-directory";
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

test("npm, which cannot install the workspace, says what to run instead", async () => {
  const folder = newDirectory();
  for (const file of ["package.json", "scripts/use-pnpm.mjs"])
    cpSync(join(CHECKOUT, file), join(folder, file));
  const said = (command: string) => outputOf("sh", ["-c", `npm ${command} 2>&1 || true`], folder);
  expect(await said("install")).toMatch(/:use pnpm: npx -y pnpm@12 install$/m);
  expect(await said("start")).toMatch(/: npx -y pnpm@12 start$/m);
  expect(await said("test")).toMatch(/: npx -y pnpm@12 test$/m);
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
