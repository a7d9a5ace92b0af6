import fc from "fast-check";
import { afterAll, expect, vi } from "vitest";
import { removeDirectories } from "./new-directory.ts";

/* Runs before each test file. */

// Files of one worker share its modules, and what the file before this one configured.
fc.resetConfigureGlobal();

/*
 * Nothing here takes seconds, even on a busy machine. So what hangs for half a minute, which is how long Node and others wait by
 * default, fails its test.
 */
const QUICK = /\/packages\/(core|node|archive|adapter-(http|memory|smtp|smtp-in|webhooks))\/test\//;
if (QUICK.test(expect.getState().testPath ?? "")) vi.setConfig({ testTimeout: 30_000 });

// Registered first, so that it runs last.
afterAll(removeDirectories);
