import fc from "fast-check";
import { afterAll } from "vitest";
import { removeDirectories } from "./new-directory.ts";

/* Runs before each test file. */

/*
 * Ends a property that has not failed after 15 seconds, however many of its runs are left: on DynamoDB Local some would take
 * minutes. `.ci/nightly` runs them in full.
 */
if (process.env["POSTERN_WHOLE_PROPERTIES"] === undefined) {
  fc.configureGlobal({ interruptAfterTimeLimit: 15_000 });
}

// Registered first, so that it runs last.
afterAll(removeDirectories);
