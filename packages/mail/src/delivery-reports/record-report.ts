import {
  type CopyId,
  EmailAddress,
  type FailureReason,
  type PortResult,
  type SpoolMark,
} from "@postern/core";
import { err, ok } from "neverthrow";
import type { MailContext } from "../context.ts";
import type { Copy } from "../copy/copy.ts";
import { messageReference } from "../message/message-reference.ts";
import { type ReportIgnored, type ReportMessage, type ReportReading, readReport } from "./delivery-report.ts";
import { handOver, otherSpool } from "./hand-over.ts";
import { recordOutcome } from "./record-outcome.ts";

/**
 * What a report resulted in: it was recorded as an outcome to count; it says what was already known (`duplicate`); it is not about anything
 * that we sent and still remember (`unknown_copy`); it contains nothing to count; or it cannot be read. Then the operator is to get it
 * (`unknown`), unless it is about mail for the operator, or there have been `UNREAD_AN_HOUR` (`dropped`).
 *
 * If it is about a copy of another server, it is kept for that server (`handed_over`). What is to be done with a message that says nothing
 * that could be kept depends on the copy, so only that server can take it (`elsewhere`): the client is to try again.
 */
export type ReportResult =
  | Extract<ReportReading, { kind: "outcome" }>["outcome"]
  | "duplicate"
  | "unknown_copy"
  | "dropped"
  | "handed_over"
  | "elsewhere"
  | ReportIgnored;

/** How many reports that cannot be read are for the operator: enough to notice, and to see what they have in common. */
export const UNREAD_AN_HOUR = 20;
const HOUR = 60 * 60_000;

/**
 * Records what a report says about a copy, once, no matter how often it is repeated. `recordReport(report)` returns a function, because a
 * report takes long to read: call it with each copy to whose address the report was sent, or with null if it was sent elsewhere, such as a
 * complaint to `abuse@`. In that case it counts only if it says itself which copy it is about. For a copy of another server, pass the spool
 * that it was sent from as well, as `admitRecipient` says.
 *
 * A mailbox can keep a message and also forward it back to an alias, which refuses it because it is in a loop. The report about that also
 * comes to the copy's address, because forwarding keeps the envelope sender, but it says nothing about the copy. Only a copy that is itself
 * to an alias can have such a recipient.
 */
export const recordReport = (context: MailContext) => {
  const { spool, secrets, clock, aliasDomains } = context;
  const recordFor = recordOutcome(context);
  const keep = handOver(context);

  type Outcome = Extract<ReportReading, { kind: "outcome" }>;

  /** The copy that a report names. All copies for one alias have the same reference, which may mean any of them. */
  const namedCopy = async ({ about }: Outcome): PortResult<CopyId | null> => {
    if (about === null) return ok(null);
    if ("copy" in about) return ok(about.copy);
    const isMeant = ({ purpose }: Copy) =>
      purpose.kind === "forward" &&
      messageReference(secrets.hash, about.message, purpose.alias.email) === about.reference;
    return (await spool.findAll(about.message)).map((copies) => copies.find(isMeant)?.id ?? null);
  };

  /** When the operator last got reports that cannot be read. */
  let told: readonly number[] = [];
  const tellOperator = (): boolean => {
    const now = clock.now();
    const recent = told.filter((at) => at > now - HOUR && at <= now);
    const tells = recent.length < UNREAD_AN_HOUR;
    told = tells ? [...recent, now] : recent;
    return tells;
  };

  const find = async (copy: CopyId | null) => (copy === null ? ok(null) : spool.find(copy));

  const isOnAliasDomain = (email: EmailAddress): boolean => aliasDomains.includes(EmailAddress.domain(email));

  type Read = (isToAlias: boolean) => ReportReading;

  const reasonOf = (reading: Outcome): FailureReason | null =>
    reading.outcome === "bounced" ? reading.reason : null;

  const keepFor = async (
    spool: SpoolMark,
    copy: CopyId,
    reading: Outcome,
    onlyIfToAlias: boolean,
  ): PortResult<ReportResult> => {
    const { outcome } = reading;
    const kept = await keep()({ spool, copy, outcome, onlyIfToAlias, reason: reasonOf(reading) });
    return kept.map(() => "handed_over");
  };

  /** A report about a copy that this server does not have, and that the report itself names. */
  const recordNamed = async (reading: Outcome): PortResult<ReportResult> => {
    const { about } = reading;
    if (about === null || !("copy" in about)) return ok("unknown_copy");
    const elsewhere = otherSpool(context, about.address);
    return elsewhere === null ? ok("unknown_copy") : keepFor(elsewhere, about.copy, reading, false);
  };

  /** A report that came to the address of another server's copy. Whether that is to an alias is not known here. */
  const recordElsewhere = async (copy: CopyId, spool: SpoolMark, read: Read): PortResult<ReportResult> => {
    const usual = read(false);
    const onlyIfToAlias = usual.kind === "nothing" && usual.reason === "passed_on";
    const reading = onlyIfToAlias ? read(true) : usual;
    if (reading.kind === "outcome") return keepFor(spool, copy, reading, onlyIfToAlias);
    switch (reading.reason) {
      case "unknown":
      case "auto_reply":
      case "read_receipt":
      case "no_report":
        return ok("elsewhere");
      case "delayed":
      case "expanded":
      case "passed_on":
      case "other_feedback":
        return ok(reading.reason);
    }
  };

  const record = async (copy: CopyId | null, read: Read): PortResult<ReportResult> => {
    const addressed = await find(copy);
    if (addressed.isErr()) return err(addressed.error);
    const reading = read(addressed.value !== null && isOnAliasDomain(addressed.value.copy.to));
    if (reading.kind === "nothing") {
      if (reading.reason !== "unknown" || addressed.value === null) return ok(reading.reason);
      // Otherwise the report that the operator's mailbox does not exist would go there, and cause another one.
      const isOperators = addressed.value.copy.purpose.kind === "postmaster";
      return ok(!isOperators && tellOperator() ? "unknown" : "dropped");
    }
    const named = copy === null ? await namedCopy(reading) : ok(copy);
    if (named.isErr()) return err(named.error);
    const found = copy === null ? await find(named.value) : addressed;
    if (found.isErr()) return err(found.error);
    if (found.value === null) return copy === null ? recordNamed(reading) : ok("unknown_copy");

    const { outcome } = reading;
    const recorded = await recordFor(found.value, outcome, reasonOf(reading));
    return recorded.map((result) => {
      if (result === "recorded") return outcome;
      return result === "unknown" ? "unknown_copy" : result;
    });
  };

  return (report: ReportMessage) => {
    const readings = new Map<boolean, ReportReading>();
    const read = (isToAlias: boolean): ReportReading => {
      const reading =
        readings.get(isToAlias) ??
        readReport(report, (recipient) => !isToAlias && isOnAliasDomain(recipient));
      readings.set(isToAlias, reading);
      return reading;
    };
    return (copy: CopyId | null, elsewhere: SpoolMark | null = null): PortResult<ReportResult> =>
      copy !== null && elsewhere !== null ? recordElsewhere(copy, elsewhere, read) : record(copy, read);
  };
};
