import type { FailureReason, PortResult, Unavailable } from "@postern/core";
import type { ReportedOutcome } from "@postern/core/store";
import type { MailContext } from "../context.ts";
import { type FailedCopy, prepareNotice } from "../notices/prepare-notice.ts";

const NO_ROOM: Unavailable = {
  code: "unavailable",
  cause: { source: "mail", reason: "the spool's disk has no room for a notice" },
};

/**
 * Records what a report says has become of a copy, as `Spool.report` and `Spool.delay` do. If the last copy for an alias fails, the sender
 * of the message gets a notice; if a reply fails, its author gets one.
 */
export const recordOutcome = (context: MailContext) => {
  const { spool, clock } = context;
  const notice = prepareNotice(context);
  return async (
    reported: FailedCopy,
    outcome: ReportedOutcome,
    /** Null unless it bounced or is delayed. */
    reason: FailureReason | null,
  ): PortResult<"recorded" | "duplicate" | "unknown"> => {
    const { id } = reported.copy;
    if (outcome === "delayed") return (await spool.delay(id, reason ?? "other")).map(() => "recorded");
    const ifNoneLeft = outcome === "bounced" ? notice(reported) : null;
    const recorded = await spool.report(id, outcome, clock.now(), reason, ifNoneLeft);
    return recorded.mapErr((error) => (error.code === "spool_full" ? NO_ROOM : error));
  };
};
