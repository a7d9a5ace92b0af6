import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { DOCUMENTS, readDocument, withEmbeddedFiles } from "../scripts/embedded-files.ts";

test.for(DOCUMENTS)("%s contains the current files", (path) => {
  // If this fails: npx -y pnpm@12 embed
  const document = readDocument(path);
  expect(document).toBe(withEmbeddedFiles(document));
  expect(document).toMatch(/^<!-- file: \S+, written by `pnpm embed` -->$/m);
});

// Only some checks, because each creates a database: `postgres-store.test.ts` runs them all.
test("the contract passes under node:test", { timeout: 600_000 }, async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--test", "--test-name-pattern=last place among", "--test-reporter=tap", "postgres-store.node-test.ts"],
    { cwd: import.meta.dirname, maxBuffer: 16 * 1024 * 1024 },
  );
  expect(stdout).toMatch(/^# pass [2-9]$/m);
  expect(stdout).toMatch(/^# fail 0$/m);
});
