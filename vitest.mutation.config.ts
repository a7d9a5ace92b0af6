import { defineConfig } from "vitest/config";

/** What `pnpm mutation` runs for each mutant: the tests of the core and of mail, no process and no network among them. Stryker has time limits of its own. */
export default defineConfig({
  test: { include: ["packages/core/test/every-test.ts"], testTimeout: 60_000, provide: { wholeFiles: [] } },
  plugins: [
    {
      name: "no-task-locations",
      /** Stryker asks for the line of each test, which nothing here reads, and which takes a third of a mutant's time. */
      configureVitest: ({ project }) => {
        project.config.includeTaskLocation = false;
      },
    },
  ],
});
