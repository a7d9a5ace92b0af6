import { expectLinearizable, randomSchedules, runSchedule } from "@postern/adapter-contracts/linearizability";
import { parseAccountId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { runsWhole } from "@postern/test-support/runs-whole";
import { test } from "vitest";
import { usePostgres, useStore } from "./support/use-postgres.ts";

const HISTORIES = runsWhole(import.meta.url) ? 500 : 20;

const postgres = usePostgres();

test(
  "concurrent operations of several clients on two stores are linearizable",
  async () => {
    const url = await postgres().newDatabase();
    const stores = [await useStore(url), await useStore(url)] as const;
    for (const [n, schedule] of randomSchedules(HISTORIES).entries()) {
      const account = valueOf(parseAccountId(`account-${n}`));
      expectLinearizable(await runSchedule(schedule, { account, stores, mostTurns: n % 5 }));
    }
  },
  300_000 + HISTORIES * 1_000,
);
