import { ok } from "@postern/core";
import { frozen, type HandedReport, type HandedReports } from "@postern/core/store";
import { noTimeLeft } from "./no-time-left.ts";

const keyOf = ({ spool, copy, outcome, onlyIfToAlias }: HandedReport): string =>
  [spool, copy, outcome, onlyIfToAlias].join();

export const memoryHandedReports = (): HandedReports => {
  const handed = new Map<string, HandedReport>();
  return {
    handOver: async (report, timeLeft) => {
      const late = noTimeLeft(timeLeft);
      if (late !== null) return late;
      const key = keyOf(report);
      if ((handed.get(key)?.at ?? 0) <= report.at) handed.set(key, frozen({ ...report }));
      return ok();
    },

    list: async (spool, limit, timeLeft) =>
      noTimeLeft(timeLeft) ??
      ok([...handed.values()].filter((report) => report.spool === spool).slice(0, limit)),

    finish: async (report, timeLeft) => {
      const late = noTimeLeft(timeLeft);
      if (late !== null) return late;
      const key = keyOf(report);
      if (handed.get(key)?.at === report.at) handed.delete(key);
      return ok();
    },
  };
};
