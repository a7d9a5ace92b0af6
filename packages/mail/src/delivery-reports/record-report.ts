import { type CopyId, EmailAddress, type PortResult, type Unavailable } from "@postern/core";
import { err, ok } from "neverthrow";
import type { MailContext } from "../context.ts";
import type { Copy } from "../copy/copy.ts";
import { messageReference } from "../message/message-reference.ts";
import { prepareNotice } from "../notices/prepare-notice.ts";
import { type ReportIgnored, type ReportMessage, type ReportReading, readReport } from "./delivery-report.ts";

/**
 * What a report resulted in: it was recorded as an outcome to count; it says what was already known (`duplicate`); it is not about anything
 * that we sent and still remember (`unknown_copy`); it contains nothing to count; or it cannot be read. Then the operator is to get it
 * (`unknown`), unless it is about mail for the operator, or there have been `UNREAD_AN_HOUR` (`dropped`).
 */
export type ReportResult =
  | Extract<ReportReading, { kind: "outcome" }>["outcome"]
  | "duplicate"
  | "unknown_copy"
  | "dropped"
  | ReportIgnored;

/** How many reports that cannot be read are for the operator: enough to notice, and to see what they have in common. */
export const UNREAD_AN_HOUR = 20;
const HOUR = 60 * 60_000;

const NO_ROOM: Unavailable = {
  code: "unavailable",
  cause: { source: "mail", reason: "the spool's disk has no room for a notice" },
};

/**
 * Records what a report says about a copy, once, no matter how often it is repeated. `recordReport(report)` returns a function, because a
 * report takes long to read: call it with each copy to whose address the report was sent, or with null if it was sent elsewhere, such as a
 * complaint to `abuse@`. In that case it counts only if it says itself which copy it is about.
 *
 * A mailbox can keep a message and also forward it back to an alias, which refuses it because it is in a loop. The report about that also
 * comes to the copy's address, because forwarding keeps the envelope sender, but it says nothing about the copy. Only a copy that is itself
 * to an alias can have such a recipient.
 *
 * If the last copy for an alias fails, the sender of the message gets a notice; if a reply fails, its author gets one.
 */
export const recordReport = (context: MailContext) => {
  const { spool, secrets, clock, aliasDomains } = context;
  const notice = prepareNotice(context);

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

  const record = async (
    copy: CopyId | null,
    read: (isToAlias: boolean) => ReportReading,
  ): PortResult<ReportResult> => {
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
    if (found.value === null) return ok("unknown_copy");

    const isBounce = reading.outcome === "bounced";
    const recorded = await spool.report(
      found.value.copy.id,
      reading.outcome,
      clock.now(),
      isBounce ? reading.reason : null,
      isBounce ? notice(found.value) : null,
    );
    return recorded
      .map((result) => {
        if (result === "recorded") return reading.outcome;
        return result === "unknown" ? "unknown_copy" : result;
      })
      .mapErr((error) => (error.code === "spool_full" ? NO_ROOM : error));
  };

  return (report: ReportMessage): ((copy: CopyId | null) => PortResult<ReportResult>) => {
    const readings = new Map<boolean, ReportReading>();
    const read = (isToAlias: boolean): ReportReading => {
      const reading =
        readings.get(isToAlias) ??
        readReport(report, (recipient) => !isToAlias && isOnAliasDomain(recipient));
      readings.set(isToAlias, reading);
      return reading;
    };
    return (copy) => record(copy, read);
  };
};
