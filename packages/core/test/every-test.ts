import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "vitest";

/*
 * All tests that run the core, in one file, for `pnpm mutation`. Loading each file on its own takes four times as long as running
 * all tests, and many mutants need all of them.
 */

/** One reads the sources, which then are full of mutants; the other is about time, and instrumented code takes ten times as long. */
const NOT_FOR_MUTANTS = ["dependencies.test.ts", "mail/long-texts.test.ts"];

/** These take half of the time. */
const SLOW = [
  "causes.test.ts",
  "erasure.test.ts",
  "mail/copies-at-once.test.ts",
  "mail/encoded-words.test.ts",
  "mail/hanging-copies.test.ts",
  "mail/refused-senders.test.ts",
];

/** Set by Stryker before it loads the tests if the mutant runs while they load. For such a mutant it runs all tests until one fails. */
declare const __stryker__: { readonly activeMutant?: string } | undefined;
const mutant = typeof __stryker__ === "undefined" ? undefined : __stryker__.activeMutant;

const filesIn = (directory: string): readonly string[] =>
  readdirSync(join(import.meta.dirname, directory), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
const contains = (path: string, text: string): boolean =>
  readFileSync(join(import.meta.dirname, path), "utf8").includes(text);

const mutated =
  mutant === undefined
    ? undefined
    : filesIn("../src").find((name) => contains(`../src/${name}`, `stryMutAct_9fa48("${mutant}")`));

const words = (path: string): readonly string[] => path.split(/[^a-z]+/).filter((word) => word !== "ts");

/** How closely the tests are related to the mutated file. */
const nearness = (name: string): number => {
  if (mutated === undefined) return 0;
  if (contains(name, `/src/${mutated}"`)) return Number.POSITIVE_INFINITY;
  const ofTests = new Set(words(name));
  return words(mutated).filter((word) => ofTests.has(word)).length;
};

/** Closely related tests come first, slow ones last. */
const files = filesIn(".")
  .filter((name) => name.endsWith(".test.ts") && !NOT_FOR_MUTANTS.includes(name))
  .map((name) => ({ name, nearness: nearness(name), isSlow: SLOW.includes(name) }))
  .sort((one, other) => Number(one.isSlow) - Number(other.isSlow) || other.nearness - one.nearness);

for (const { name } of files) {
  describe(name, async () => {
    await import(join(import.meta.dirname, name));
  });
}
