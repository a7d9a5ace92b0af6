import { globSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { describe } from "vitest";

/*
 * All tests that run the core and mail, in one file, for `pnpm mutation`. Loading each file on its own takes four times as long as running
 * all tests, and many mutants need all of them.
 */

/** One reads the sources, which then are full of mutants; the other is about time, and instrumented code takes ten times as long. */
const NOT_FOR_MUTANTS = ["dependencies.test.ts", "long-texts.test.ts"];

/** These take half of the time. */
const SLOW = [
  "causes.test.ts",
  "erasure.test.ts",
  "copies-at-once.test.ts",
  "encoded-words.test.ts",
  "hanging-copies.test.ts",
  "refused-senders.test.ts",
];

/** Set by Stryker before it loads the tests if the mutant runs while they load. For such a mutant it runs all tests until one fails. */
declare const __stryker__: { readonly activeMutant?: string } | undefined;
const mutant = typeof __stryker__ === "undefined" ? undefined : __stryker__.activeMutant;

const PACKAGES = join(import.meta.dirname, "../..");

/** The TypeScript files in these folders of `packages`. */
const filesIn = (...folders: readonly string[]): readonly string[] =>
  folders.flatMap((folder) =>
    globSync("**/*.ts", { cwd: join(PACKAGES, folder) }).map((name) => join(PACKAGES, folder, name)),
  );
const contains = (file: string, text: string): boolean => readFileSync(file, "utf8").includes(text);

const mutated =
  mutant === undefined
    ? undefined
    : filesIn("core/src", "mail/src").find((file) => contains(file, `stryMutAct_9fa48("${mutant}")`));

const words = (file: string): readonly string[] =>
  relative(PACKAGES, file)
    .split(/[^a-z]+/)
    .filter((word) => !["core", "mail", "src", "test", "ts"].includes(word));

/** How closely the tests are related to the mutated file. */
const nearness = (file: string): number => {
  if (mutated === undefined) return 0;
  if (contains(file, mutated.slice(mutated.lastIndexOf("/src/")))) return Number.POSITIVE_INFINITY;
  const ofTests = new Set(words(file));
  return words(mutated).filter((word) => ofTests.has(word)).length;
};

/** Closely related tests come first, slow ones last. */
const files = filesIn("core/test", "mail/test")
  .map((file) => ({ file, name: basename(file) }))
  .filter(({ name }) => name.endsWith(".test.ts") && !NOT_FOR_MUTANTS.includes(name))
  .map(({ file, name }) => ({ file, nearness: nearness(file), isSlow: SLOW.includes(name) }))
  .sort((one, other) => Number(one.isSlow) - Number(other.isSlow) || other.nearness - one.nearness);

for (const { file } of files) {
  describe(relative(PACKAGES, file), async () => {
    await import(file);
  });
}
