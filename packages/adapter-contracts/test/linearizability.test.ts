import { memoryStore } from "@postern/adapter-memory";
import { expect, test } from "vitest";
import { runsWhole } from "../../test-support/src/runs-whole.ts";
import { expectLinearizable, randomSchedules, runSchedule } from "../src/linearizability/index.ts";
import { newAccount } from "../src/samples.ts";

const HISTORIES = runsWhole(import.meta.url) ? 500 : 150;

test(
  "random operations on a correct store are linearizable, and end in every way that the model knows",
  async () => {
    const outcomes = new Map<string, number>();
    for (const schedule of randomSchedules(HISTORIES)) {
      const account = newAccount();
      const history = await runSchedule(schedule, { account, stores: [memoryStore()], mostTurns: 2 });
      expectLinearizable(history);
      for (const { input, result } of history) {
        const output = result?.output ?? "unknown";
        const name = typeof output === "string" ? output : "ineligible" in output ? "ineligible" : "ok";
        outcomes.set(`${input.call}: ${name}`, (outcomes.get(`${input.call}: ${name}`) ?? 0) + 1);
      }
    }
    const rare = [
      "replace: ok",
      "replace: ineligible",
      "replace: alias_deleted",
      "replace: precondition_failed",
      "switch: ok",
      "delete: ok",
      "restore: ok",
      "restore: ineligible",
      "create: ok",
      "create: ineligible",
      "erase: erased",
      "reassign: ok",
      "reassign: ineligible",
      "activate: ok",
      "deactivate: ok",
      "deactivate: recipient_attached",
      "remove: removed",
      "remove: recipient_attached",
      "read: ok",
      "read: alias_not_found",
      "report: recorded",
      "report by address: recorded",
    ].filter((outcome) => (outcomes.get(outcome) ?? 0) < 3);
    expect(rare).toEqual([]);
  },
  300_000 + HISTORIES * 200,
);
