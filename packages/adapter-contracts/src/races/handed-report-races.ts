import type { Check } from "../check.ts";
import { expectEqual } from "../expect.ts";
import { handedReportsFor, handOver, newHandedReport } from "../samples.ts";
import { raceCheckOf } from "./race.ts";

const raceCheck = raceCheckOf("handedReports");

export const handedReportRaces: readonly Check[] = [
  raceCheck("a report is handed over twice at once: the later one stays", async ({ store }) => {
    const first = newHandedReport();
    const second = { ...first, at: first.at + 1 };
    return {
      rivals: [() => store.handedReports.handOver(second), () => store.handedReports.handOver(first)],
      verify: async (succeeded) => {
        expectEqual(succeeded, [true, true]);
        expectEqual(await handedReportsFor(store, first.spool), [second]);
      },
    };
  }),

  raceCheck(
    "finishing a report races with handing it over again: the later report stays",
    async ({ store }) => {
      const first = await handOver(store, newHandedReport());
      const second = { ...first, at: first.at + 1 };
      return {
        rivals: [() => store.handedReports.finish(first), () => store.handedReports.handOver(second)],
        verify: async (succeeded) => {
          expectEqual(succeeded, [true, true]);
          expectEqual(await handedReportsFor(store, first.spool), [second]);
        },
      };
    },
  ),
];
