import { globSync } from "node:fs";
import { join } from "node:path";

declare module "vitest" {
  interface ProvidedContext {
    /** The absolute paths of the test files that run whole. */
    readonly wholeFiles: readonly string[];
  }
}

const ROOT = join(import.meta.dirname, "../../..");

/** The test files that run whole: all of them if POSTERN_NIGHT is set, and otherwise those whose subject the change touches. */
export const wholeFiles = (): readonly string[] =>
  process.env["POSTERN_NIGHT"] === undefined
    ? []
    : globSync(["packages/*/test/**/*.test.ts", "examples/*.test.ts"], { cwd: ROOT }).map((file) =>
        join(ROOT, file),
      );
