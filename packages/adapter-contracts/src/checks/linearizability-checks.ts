import type { Store } from "@postern/core";
import * as fc from "fast-check";
import { type Check, check } from "../check.ts";
import { expectLinearizable, runSchedule, type Schedule, schedules } from "../linearizability/histories.ts";
import { newAccount } from "../samples.ts";

/** How many histories run at once, which takes less time on a remote store. */
const AT_ONCE = 6;

const run = async (store: Store, all: readonly Schedule[], paces: readonly number[]): Promise<void> => {
  const runs = all.flatMap((schedule) => paces.map((mostTurns) => ({ schedule, mostTurns })));
  for (let first = 0; first < runs.length; first += AT_ONCE) {
    await Promise.all(
      runs.slice(first, first + AT_ONCE).map(async ({ schedule, mostTurns }) => {
        expectLinearizable(
          await runSchedule(schedule, { account: newAccount(), stores: [store], mostTurns }),
        );
      }),
    );
  }
};

export const linearizabilityChecks: readonly Check[] = [
  check("random operations of several clients take effect one after the other", async (store) => {
    await run(store, fc.sample(schedules, { numRuns: 24 }), [1]);
  }),
];
