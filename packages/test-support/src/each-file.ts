import fc from "fast-check";
import { afterAll } from "vitest";
import { removeDirectories } from "./new-directory.ts";

/* Runs before each test file. */

// Files of one worker share its modules, and what the file before this one configured.
fc.resetConfigureGlobal();

// Registered first, so that it runs last.
afterAll(removeDirectories);
