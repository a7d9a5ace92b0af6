import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // npm downloads packages in these tests.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
    setupFiles: ["../packages/test-support/src/each-file.ts"],
    provide: { wholeFiles: [] },
    // Most of these tests wait for other processes.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        extends: true,
        // Not `consumer/*.test.ts`: a consumer's own vitest runs them.
        test: { name: "packages", include: ["*.test.ts"], globalSetup: "pack.ts" },
      },
      {
        extends: true,
        test: {
          name: "documents",
          include: ["documents/*.test.ts"],
          globalSetup: ["../packages/test-support/src/java.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "server",
          include: ["server/*.test.ts"],
          globalSetup: [
            "../packages/test-support/src/java.ts",
            "server/programs.ts",
            "server/node-24.ts",
            "server/build.ts",
          ],
        },
      },
    ],
  },
});
