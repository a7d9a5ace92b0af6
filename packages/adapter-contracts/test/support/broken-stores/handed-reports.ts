import { ok } from "@postern/core";
import type { HandedReport } from "@postern/core/store";
import { before, ignoring } from "../faults.ts";
import type { HandedReportRules } from "../plain-store/handed-reports.ts";
import { plainStore } from "../plain-store/index.ts";
import { type Broken, flaw, flawOf } from "./broken.ts";

const LISTED = "a report that is handed over is listed for its spool until it is finished";
const APART = "reports about another copy, of another kind, or for another spool are separate";
const LATEST = "a report that is handed over repeatedly is kept once, as it was the last time";
const LATER = "finishing a report leaves one that was handed over later";
const AS_MANY = "as many reports are listed as are asked for, each once, until all are finished";
const LENT = "reports are not shared with callers";
const TWICE = "a report is handed over twice at once: the later one stays";
const AGAIN = "finishing a report races with handing it over again: the later report stays";

const plain = flawOf((handedReports?: Partial<HandedReportRules>) => plainStore({ handedReports }));

export const brokenHandedReports: readonly Broken[] = [
  flaw("reports are not kept", [LISTED, APART, LATEST, LATER, AS_MANY, LENT, TWICE, AGAIN], {
    "handedReports.handOver": ignoring,
  }),
  flaw("finished reports stay", [LISTED, APART, LATER, AS_MANY], { "handedReports.finish": ignoring }),
  plain("the report that comes last stays, even if another one is later", [LATEST, TWICE], {
    replaces: () => true,
  }),
  plain("the first report stays", [LATEST, LATER, AGAIN], { replaces: () => false }),
  plain("a later report has the reason of the first one", [LATEST], {
    merged: (report, { reason }) => ({ ...report, reason }),
  }),
  plain("finishing a report finishes later ones", [LATER], { isFinished: () => true }),
  plain("a copy has one report", [APART], { keyOf: ({ spool, copy }) => `${spool} ${copy}` }),
  plain("a copy has one report of each outcome", [APART], {
    keyOf: ({ spool, copy, outcome }) => `${spool} ${copy} ${outcome}`,
  }),
  plain("a spool has one report of each kind", [APART, AS_MANY], {
    keyOf: ({ spool, outcome, onlyIfToAlias }) => `${spool} ${outcome} ${onlyIfToAlias}`,
  }),
  plain("a report is kept for one spool", [APART], {
    keyOf: ({ copy, outcome, onlyIfToAlias }) => `${copy} ${outcome} ${onlyIfToAlias}`,
  }),
  flaw("reports for other spools are listed", [LISTED, APART], ({ handedReports }) => {
    const spools = new Set<HandedReport["spool"]>();
    return {
      "handedReports.handOver": before(({ spool }) => spools.add(spool)),
      "handedReports.list": async (_, _spool, limit) => {
        const all: HandedReport[] = [];
        for (const spool of spools) all.push(...(await handedReports.list(spool, limit)).unwrapOr([]));
        return ok(all);
      },
    };
  }),
  flaw("all reports are listed, however few are asked for", [AS_MANY], {
    "handedReports.list": (list, spool) => list(spool, 1_000),
  }),
  flaw("one report is listed at a time", [APART, AS_MANY], {
    "handedReports.list": (list, spool) => list(spool, 1),
  }),
  plain("reports are shared with the caller", [LENT], { copyOf: (report) => report }),
];
