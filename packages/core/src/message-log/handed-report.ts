import type { Result } from "neverthrow";
import * as z from "zod";
import { copyId, spoolMark } from "../values/base32-ids.ts";
import type { CopyId, SpoolMark } from "../values/identifiers.ts";
import { type InvalidRequest, parse } from "../values/parse.ts";
import { timestamp } from "../values/stored.ts";
import { FAILURE_REASONS, type FailureReason } from "./failure-reason.ts";

/** How long a report is kept for another server, in milliseconds: 7 days, after which that server is not expected to come back. */
export const HANDED_REPORT_RETENTION = 7 * 24 * 60 * 60 * 1_000;

/**
 * What a report of delivery says about a copy that another server has sent: for the server that has this spool. Nothing else of the report
 * is kept, so it names nobody.
 */
export type HandedReport = {
  readonly spool: SpoolMark;
  readonly copy: CopyId;
  readonly outcome: ReportedOutcome;
  /**
   * Whether the report is only about addresses on alias domains. Then it is about a copy that was sent to one, and says nothing about other
   * copies, whose mailboxes only passed them on to an alias.
   */
  readonly onlyIfToAlias: boolean;
  /** Why it bounced or is delayed; null for other outcomes. */
  readonly reason: FailureReason | null;
  /** When it was handed over, in epoch milliseconds. */
  readonly at: number;
};

/** What a report can say has become of a copy. `delayed`, which is not counted: it was sent, but delivery is still being attempted. */
export type ReportedOutcome = (typeof REPORTED_OUTCOMES)[number];
const REPORTED_OUTCOMES = ["delivered", "bounced", "complaint", "delayed"] as const;

const handedReport = z.object({
  spool: spoolMark,
  copy: copyId,
  outcome: z.enum(REPORTED_OUTCOMES),
  onlyIfToAlias: z.boolean(),
  reason: z.enum(FAILURE_REASONS).nullable(),
  at: timestamp,
});

/** Parses a report that was stored as plain data with the fields of `HandedReport`. */
export const parseHandedReport = (input: unknown): Result<HandedReport, InvalidRequest> =>
  parse(handedReport, input);
