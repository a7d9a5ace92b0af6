import { type Check, check } from "../check.ts";
import { EXAMPLES } from "../linearizability/examples.ts";
import {
  expectLinearizable,
  randomSchedules,
  runSchedule,
  type Schedule,
} from "../linearizability/histories.ts";
import { newAccount } from "../samples.ts";

/** How many random histories every store gets. */
const RANDOM = 4;

/** Faster stores get more: this many times as many as `EXAMPLES` and `RANDOM`, as far as `LONG_MS` allows. */
const ROUNDS = 10;
const LONG_MS = 2_000;

/** How many histories run at once, which takes less time on a remote store. */
const AT_ONCE = 8;

/** The maximum number of event loop turns that each call of the store waits, before and after; histories use these values in turn. */
const TURNS = [1, 0, 2, 1, 4];

export const linearizabilityChecks: readonly Check[] = [
  check("operations of several clients on several aliases take effect one after the other", async (store) => {
    // biome-ignore lint/plugin: how many histories there are follows the speed of the store, not whether they pass
    const start = performance.now();
    let runs = 0;
    const run = async (schedule: Schedule): Promise<void> => {
      const mostTurns = TURNS[runs % TURNS.length] ?? 0;
      runs += 1;
      expectLinearizable(await runSchedule(schedule, { account: newAccount(), stores: [store], mostTurns }));
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const all = [...EXAMPLES, ...randomSchedules(RANDOM)];
      for (let first = 0; first < all.length; first += AT_ONCE) {
        // biome-ignore lint/plugin: as above
        if (round > 0 && performance.now() - start > LONG_MS) return;
        await Promise.all(all.slice(first, first + AT_ONCE).map(run));
      }
    }
  }),
];
