import { fileURLToPath } from "node:url";
import { inject } from "vitest";

/**
 * Whether a test file runs whole, as it does every night, and by day if the change touches what it tests. Otherwise it runs in a
 * short form: with fewer rounds, or without some tests. The end of a run names the files that ran in their short form.
 *
 * @param file `import.meta.url` of the test file
 */
export const runsWhole = (file: string): boolean => inject("wholeFiles").includes(fileURLToPath(file));
