import { expectLinearizable, randomSchedules, runSchedule } from "@postern/adapter-contracts/linearizability";
import { parseAccountId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { runsWhole } from "@postern/test-support/runs-whole";
import { test } from "vitest";
import { newPath, openStore } from "./support/directory.ts";

const HISTORIES = runsWhole(import.meta.url) ? 500 : 20;

test(
  "concurrent operations of several clients are linearizable",
  async () => {
    const store = openStore(newPath());
    for (const [n, schedule] of randomSchedules(HISTORIES).entries()) {
      const account = valueOf(parseAccountId(`account-${n}`));
      expectLinearizable(await runSchedule(schedule, { account, stores: [store], mostTurns: n % 5 }));
    }
  },
  300_000 + HISTORIES * 500,
);
