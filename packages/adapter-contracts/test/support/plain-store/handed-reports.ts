import { ok } from "@postern/core";
import type { HandedReport, HandedReports } from "@postern/core/store";
import type { Write } from "./facts.ts";

/** How a store treats reports for other servers. Whatever is not overridden is correct. */
export type HandedReportRules = {
  /** Reports with the same key are one. */
  readonly keyOf: (report: HandedReport) => string;
  readonly replaces: (report: HandedReport, stored: HandedReport) => boolean;
  /** What is stored in place of what was. */
  readonly merged: (report: HandedReport, stored: HandedReport) => HandedReport;
  readonly isFinished: (stored: HandedReport, report: HandedReport) => boolean;
  readonly copyOf: (report: HandedReport) => HandedReport;
};

const RIGHT: HandedReportRules = {
  keyOf: ({ spool, copy, outcome, onlyIfToAlias }) => JSON.stringify([spool, copy, outcome, onlyIfToAlias]),
  replaces: ({ at }, stored) => at > stored.at,
  merged: (report) => report,
  isFinished: (stored, { at }) => stored.at === at,
  copyOf: (report) => structuredClone(report),
};

export const plainHandedReports = (write: Write, flaw: Partial<HandedReportRules> = {}): HandedReports => {
  const { keyOf, replaces, merged, isFinished, copyOf } = { ...RIGHT, ...flaw };
  const all = new Map<string, HandedReport>();
  return {
    handOver: (report) =>
      write((fact) => {
        const stored = fact("time in handedReports.handOver", () => all.get(keyOf(report)));
        return () => {
          const before = stored();
          if (before === undefined) all.set(keyOf(report), copyOf(report));
          else if (replaces(report, before)) all.set(keyOf(report), copyOf(merged(report, before)));
          return ok();
        };
      }),

    list: async (spool, limit) => {
      const own = [...all.values()].filter((report) => report.spool === spool);
      return ok(own.slice(0, limit).map(copyOf));
    },

    finish: (report) =>
      write((fact) => {
        const stored = fact("time in handedReports.finish", () => all.get(keyOf(report)));
        return () => {
          const before = stored();
          if (before !== undefined && isFinished(before, report)) all.delete(keyOf(report));
          return ok();
        };
      }),
  };
};
