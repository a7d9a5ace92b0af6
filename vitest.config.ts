import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "examples/**/*.test.ts"],
    testTimeout: 30_000,
    coverage: {
      include: ["packages/*/src/**/*.ts"],
      thresholds: { "packages/core/src/**": { lines: 100 } },
    },
  },
});
