import { EmailAddress, type PortResult, type Unavailable } from "@postern/core";
import { begin, markOfSpool } from "@postern/core/operations";
import type { HandedReport } from "@postern/core/store";
import { err, ok } from "neverthrow";
import type { MailContext } from "../context.ts";
import { recordOutcome } from "./record-outcome.ts";

/** Enough for one pass to be worth its calls, but few enough that little is repeated after a crash. */
const REPORTS_A_PASS = 100;

/**
 * Records reports about copies of this spool that other servers have received (`handOver`), up to 100 in one pass, as if they had come to
 * this server. Returns how many are done. A report about a copy that is no longer remembered says nothing.
 *
 * A report that cannot be recorded does not hold up the others; the pass then fails with `unavailable` at the end: call it again later. A
 * report that was recorded but not removed before a crash is recorded again, which changes nothing. Calls must not overlap.
 */
export const recordHandedReports = (context: MailContext) => {
  const { spool, handedReports, aliasDomains } = context;
  const record = recordOutcome(context);

  const recordOne = async ({ copy, outcome, onlyIfToAlias, reason }: HandedReport): PortResult<void> => {
    const found = await spool.find(copy);
    if (found.isErr()) return err(found.error);
    const reported = found.value;
    const isAbout =
      reported !== null && (!onlyIfToAlias || aliasDomains.includes(EmailAddress.domain(reported.copy.to)));
    return isAbout ? (await record(reported, outcome, reason)).map(() => undefined) : ok();
  };

  return async (): PortResult<number> => {
    const handed = await handedReports.list(markOfSpool(spool.id), REPORTS_A_PASS, begin(context)());
    if (handed.isErr()) return err(handed.error);
    let failure: Unavailable | null = null;
    for (const report of handed.value) {
      const recorded = await recordOne(report);
      const done = recorded.isErr() ? recorded : await handedReports.finish(report, begin(context)());
      if (done.isErr()) failure = done.error;
    }
    return failure === null ? ok(handed.value.length) : err(failure);
  };
};
