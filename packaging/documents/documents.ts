import { globSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

/** The paths of all documents for readers, from the root. */
export const documents = globSync(
  ["*.md", "docs/**/*.md", "packages/*/README.md", "bench/*.md", "examples/*.md", "deploy/**/*.md"],
  { cwd: ROOT, exclude: ["**/node_modules"] },
).sort();
