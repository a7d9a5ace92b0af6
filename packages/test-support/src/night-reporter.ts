import type { Reporter, TestModule } from "vitest/node";
import { isChangeKnown, NIGHT, shortFiles } from "./whole-files.ts";

declare module "vitest" {
  interface TaskMeta {
    /** For each world that the test has opened, whether the built function answers, and not the API in the test's process. */
    builtWorlds?: readonly boolean[];
  }
}

/** Says in how many worlds of a project the built function answers, and in the last line of a run what of it only the night runs. */
export class NightReporter implements Reporter {
  readonly #leftOut: readonly string[];

  /** @param leftOut what the configuration leaves out by day, in words */
  constructor(leftOut: readonly string[]) {
    this.#leftOut = leftOut;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const [project, own] of Object.entries(Object.groupBy(modules, (each) => each.project.name))) {
      const worlds = (own ?? []).flatMap(({ children }) =>
        [...children.allTests()].flatMap((each) => each.meta().builtWorlds ?? []),
      );
      const built = worlds.filter(Boolean).length;
      if (worlds.length > 0)
        console.log(`${project}: the built function answers in ${built} of ${worlds.length} worlds`);
    }
    const short = shortFiles(modules.map(({ moduleId }) => moduleId)).map((file) =>
      file.replace("packages/", "").replace("/test/", "/").replace(".test.ts", ""),
    );
    const missing = [...this.#leftOut, ...short];
    if (NIGHT || missing.length === 0) return;
    const unknown = isChangeKnown
      ? ""
      : " What the change touches is not known: set POSTERN_BASE to a commit.";
    const line = `Whole only by night (POSTERN_NIGHT=1): ${missing.join(", ")}.${unknown}`;
    // After everything else that Vitest prints.
    process.once("exit", () => console.log(line));
  }
}
