import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe } from "vitest";

/*
 * All tests that run the core, in one file, for `pnpm mutation`. Loading each file on its own takes four times as long as running
 * all tests, and many mutants need all of them.
 */

/** Reads the sources, which are full of mutants then. */
const READS_SOURCES = "dependencies.test.ts";

/** They take half of the time, and most mutants are noticed without them: a quarter of the mutants run all tests until one fails. */
const SLOW = [
  "causes.test.ts",
  "erasure.test.ts",
  "mail/encoded-words.test.ts",
  "mail/forward-copies.test.ts",
];

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts") && name !== READS_SOURCES)
  .sort((one, other) => SLOW.indexOf(one) - SLOW.indexOf(other) || one.localeCompare(other));

for (const name of files) {
  describe(name, async () => {
    await import(join(import.meta.dirname, name));
  });
}
