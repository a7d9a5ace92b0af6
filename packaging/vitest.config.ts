import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Not `consumer/*.test.ts`: a consumer's own vitest runs them.
    include: ["*.test.ts"],
    globalSetup: "pack.ts",
    // npm downloads in these tests.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
