import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "examples/**/*.test.ts"],
    testTimeout: 30_000,
    coverage: {
      enabled: process.env["CI"] !== undefined,
      reporter: ["text-summary", "html"],
      include: ["packages/*/src/**/*.ts"],
      thresholds: { "packages/core/src/**": { lines: 100 } },
    },
  },
});
