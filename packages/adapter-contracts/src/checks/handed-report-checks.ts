import { FAILURE_REASONS, type SpoolMark, type Store } from "@postern/core";
import type { HandedReport } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { type Check, checkOf } from "../check.ts";
import { expectEqual, expectSameItems } from "../expect.ts";
import { runs } from "../runs.ts";
import { handedReportsFor, handOver, newCopyId, newHandedReport, newSpoolMark } from "../samples.ts";
import { tryToChange } from "../try-to-change.ts";

const check = checkOf("handedReports");

const finish = async (store: Store, report: HandedReport): Promise<void> =>
  valueOf(await store.handedReports.finish(report));

/** Throws unless exactly these reports are kept for the spool. */
const expectReports = async (
  store: Store,
  reports: readonly HandedReport[],
  spool: SpoolMark,
): Promise<void> => {
  const fieldsOf = ({ copy, outcome, onlyIfToAlias, reason, at }: HandedReport) =>
    JSON.stringify([copy, outcome, onlyIfToAlias, reason, at]);
  expectSameItems((await handedReportsFor(store, spool)).map(fieldsOf), reports.map(fieldsOf));
};

/** Reports about one copy that are not the same one. */
const kindsOf = (report: HandedReport): readonly HandedReport[] =>
  (["delivered", "bounced", "complaint"] as const).flatMap((outcome) =>
    [false, true].map((onlyIfToAlias) => ({
      ...report,
      outcome,
      onlyIfToAlias,
      reason: outcome === "bounced" ? report.reason : null,
    })),
  );

export const handedReportChecks: readonly Check[] = [
  check("a report that is handed over is listed for its spool until it is finished", async (store) => {
    const report = newHandedReport();
    expectEqual(await handedReportsFor(store, report.spool), []);
    await handOver(store, report);
    expectEqual(await handedReportsFor(store, report.spool), [report]);
    expectEqual(await handedReportsFor(store, newSpoolMark()), []);
    for (let times = 0; times < 2; times += 1) {
      await finish(store, report);
      expectEqual(await handedReportsFor(store, report.spool), []);
    }
    const again = await handOver(store, { ...report, at: report.at + 1 });
    expectEqual(await handedReportsFor(store, report.spool), [again]);
  }),

  check("reports about another copy, of another kind, or for another spool are separate", async (store) => {
    const report = newHandedReport();
    const kept = [...kindsOf(report), ...kindsOf({ ...report, copy: newCopyId() })];
    for (const each of kept) {
      await handOver(store, each);
      // Later, so that a store that mistakes the two for one keeps this one.
      await handOver(store, { ...each, spool: newSpoolMark(), at: each.at + 1 });
    }
    await expectReports(store, kept, report.spool);
    while (kept.length > 0) {
      const [finished] = kept.splice(Math.floor(kept.length / 2), 1);
      if (finished !== undefined) await finish(store, finished);
      await expectReports(store, kept, report.spool);
    }
  }),

  check("a report that is handed over repeatedly is kept once, as it was the last time", async (store) => {
    const given = fc.record({
      delay: fc.integer({ min: 0, max: 4 }),
      reason: fc.constantFrom(...FAILURE_REASONS, null),
    });
    const differentTimes = fc.uniqueArray(given, {
      selector: ({ delay }) => delay,
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(differentTimes, async (times) => {
        const report = newHandedReport();
        let last: HandedReport | null = null;
        for (const { delay, reason } of times) {
          const next = await handOver(store, { ...report, reason, at: report.at + delay });
          if (last === null || next.at > last.at) last = next;
          // The same once more: what a server does that has heard no answer.
          await handOver(store, next);
          expectEqual(await handedReportsFor(store, report.spool), [last]);
        }
      }),
      runs(25),
    );
  }),

  check("finishing a report leaves one that was handed over later", async (store) => {
    const first = await handOver(store, newHandedReport());
    const later = await handOver(store, { ...first, at: first.at + 1 });
    await finish(store, first);
    expectEqual(await handedReportsFor(store, first.spool), [later]);
    await finish(store, later);
    expectEqual(await handedReportsFor(store, first.spool), []);
  }),

  check("as many reports are listed as are asked for, each once, until all are finished", async (store) => {
    const spool = newSpoolMark();
    const reports: HandedReport[] = [];
    for (let n = 0; n < 7; n += 1) {
      reports.push(await handOver(store, newHandedReport({ spool, at: Date.now() - n })));
    }
    for (const left of [7, 4, 1]) {
      const listed = valueOf(await store.handedReports.list(spool, 3));
      expectEqual(listed.length, Math.min(3, left));
      for (const report of listed) {
        await finish(store, report);
        const place = reports.findIndex(({ copy }) => copy === report.copy);
        expectEqual(reports.splice(place, 1), [report]);
      }
    }
    expectEqual(reports, []);
  }),

  check("reports are not shared with callers", async (store) => {
    const report = newHandedReport();
    const given = structuredClone(report);
    await handOver(store, given);
    tryToChange(given);
    tryToChange(await handedReportsFor(store, report.spool));
    expectEqual(await handedReportsFor(store, report.spool), [report]);
  }),
];
