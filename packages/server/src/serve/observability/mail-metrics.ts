import type { Spool } from "@postern/mail";

/**
 * The result of an attempt to send a copy. `sender`: it was deferred because the relay refused the alias domain as sender. `relay`:
 * none, because the relay could not be used at all.
 */
export type CopyResult = (typeof COPY_RESULTS)[number];
export const COPY_RESULTS = ["sent", "deferred", "sender", "relay", "failed", "expired"] as const;

/** What became of a report: `ReportResult`. */
type ReportKind = (typeof REPORT_KINDS)[number];
export const REPORT_KINDS = [
  "delivered",
  "bounced",
  "complaint",
  "duplicate",
  "unknown_copy",
  "delayed",
  "expanded",
  "passed_on",
  "auto_reply",
  "read_receipt",
  "other_feedback",
  "unknown",
  "dropped",
  "handed_over",
  "elsewhere",
  "no_report",
] as const;

/** What is measured while mail is received and forwarded. Durations are passed in milliseconds and exported in seconds. */
export type MailMeasurements = {
  /** A reply from our mail server that decided something. `reply` is a code and a status, such as `550 5.1.1`. */
  replied(step: string, reply: string): void;
  copySettled(result: CopyResult): void;
  relayAnswered(milliseconds: number): void;
  /** A message was signed, or could not be. */
  signed(result: "ok" | "failed", milliseconds: number): void;
  /** A message is on the disk. */
  committed(milliseconds: number): void;
  /** A report about a copy was read. `kind` is what became of it. */
  reportRead(kind: ReportKind): void;
  /** A call of the spool was `unavailable`. */
  spoolFailed(): void;
  /** Whether mail that waits is not sent for now. */
  forwardingPaused(isPaused: boolean): void;
};

/** What an operator monitors about received and forwarded mail. */
export type MailMetrics = MailMeasurements & {
  /** From now on the size of this spool is exported. */
  watchSpool(spool: Pick<Spool, "size">, limit: number): void;
};

export const noMailMetrics: MailMetrics = {
  replied: () => {},
  copySettled: () => {},
  relayAnswered: () => {},
  signed: () => {},
  committed: () => {},
  reportRead: () => {},
  spoolFailed: () => {},
  forwardingPaused: () => {},
  watchSpool: () => {},
};
