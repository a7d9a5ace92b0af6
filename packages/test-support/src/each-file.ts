import fc from "fast-check";
import { afterAll, expect, inject, vi } from "vitest";
import { removeDirectories } from "./new-directory.ts";

/* Runs before each test file. */

// Files of one worker share its modules, and what the file before this one configured.
fc.resetConfigureGlobal();

/*
 * Nothing here takes seconds, even on a busy machine, unless it runs whole. So what hangs for half a minute, which is how long Node and
 * others wait by default, fails its test.
 */
const QUICK = /\/packages\/(core|mail|node|archive|adapter-(http|memory|smtp|smtp-in|webhooks))\/test\//;
const { testPath = "" } = expect.getState();
const isWhole = inject("wholeFiles").includes(testPath);
if (isWhole) vi.setConfig({ testTimeout: 1_800_000 });
else if (QUICK.test(testPath) && process.env["POSTERN_FUNCTION"] === undefined)
  vi.setConfig({ testTimeout: 30_000 });

// Registered first, so that it runs last.
afterAll(removeDirectories);
