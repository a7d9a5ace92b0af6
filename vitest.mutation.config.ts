import { defineConfig } from "vitest/config";

/** What `pnpm mutation` runs for each mutant: the core's own tests, no process and no network among them. */
export default defineConfig({ test: { include: ["packages/core/test/every-test.ts"] } });
