import type { PortResult } from "../ports/port-result.ts";
import type { SpoolMark } from "../values/identifiers.ts";
import type { HandedReport } from "./handed-report.ts";

/**
 * Reports of delivery that reached a server that did not send the copy, kept until the server whose spool has it has recorded them. Reports
 * more than 7 days old (`HANDED_REPORT_RETENTION`) may be missing. Those with the same spool, copy, outcome and `onlyIfToAlias` are one.
 */
export type HandedReports = {
  /** Stores the report durably, unless a later one of the same kind is already stored. */
  handOver(report: HandedReport, timeLeft?: number): PortResult<void>;

  /** Up to `limit` reports for the spool, in any order. Sees every write that completed before the call. */
  list(spool: SpoolMark, limit: number, timeLeft?: number): PortResult<readonly HandedReport[]>;

  /** Removes the report, unless it has since been handed over again. Idempotent. */
  finish(report: HandedReport, timeLeft?: number): PortResult<void>;
};
