import { type EmailAddress, type FailureReason, ok, parseEmailAddress, type Result } from "@postern/core";
import {
  isComplaint,
  namedAction,
  type ProviderReport,
  type ReportIgnored,
  statedReason,
} from "@postern/mail";
import * as z from "zod";
import { openEnvelopes, readAs } from "../envelopes.ts";
import { SENDER_TAG, taggedSender } from "../sender-tag.ts";
import { VERIFICATION_TAG } from "../verification-tag.ts";
import { ALIAS_TAG } from "./alias-tag.ts";

/** What an event says has become of a message. */
export type SesOutcome = Pick<ProviderReport, "outcome" | "reason"> & {
  /** The envelope sender; null if it is not known, as it is if a program of yours has sent the message with a name in its place. */
  readonly sender: EmailAddress | null;
  /** The recipients that it is about, as SES writes them. */
  readonly recipients: readonly string[];
  /** SES's id of the message. */
  readonly messageId: string;
  /** The value of `ALIAS_TAG`; null if the message has none. */
  readonly tag: string | null;
  /** The value of `VERIFICATION_TAG`; null if the message has none. */
  readonly verification: string | null;
};

/** What an event of SES says; or why there is nothing to count, as of a report that came by mail. */
export type SesReading =
  | { readonly kind: "outcome"; readonly said: SesOutcome }
  | {
      readonly kind: "nothing";
      readonly reason: Extract<ReportIgnored, "delayed" | "auto_reply" | "other_feedback" | "no_report">;
    };

/** The values of a tag. */
const tag = z.array(z.string()).default([]);

const mail = z.object({
  source: z.string(),
  messageId: z.string(),
  destination: z.array(z.string()).default([]),
  tags: z.object({ [ALIAS_TAG]: tag, [SENDER_TAG]: tag, [VERIFICATION_TAG]: tag }).prefault({}),
});
const optional = z.string().nullish();

const Delivery = z.object({ mail, delivery: z.object({ recipients: z.array(z.string()) }) });
const Bounce = z.object({
  mail,
  bounce: z.object({
    bounceType: z.string(),
    bounceSubType: optional,
    bouncedRecipients: z.array(
      z.object({ emailAddress: z.string(), action: optional, status: optional, diagnosticCode: optional }),
    ),
  }),
});
const Complaint = z.object({
  mail,
  complaint: z.object({
    complainedRecipients: z.array(z.object({ emailAddress: z.string() })).default([]),
    complaintSubType: optional,
    complaintFeedbackType: optional,
  }),
});
const Reject = z.object({ mail });
const DeliveryDelay = z.object({
  mail,
  deliveryDelay: z.object({
    delayType: optional,
    delayedRecipients: z
      .array(z.object({ emailAddress: z.string(), status: optional, diagnosticCode: optional }))
      .default([]),
  }),
});

/** Of the subtypes of bounces, those that say more than `General` or `Undetermined`. */
const BY_SUBTYPE: ReadonlyMap<string, FailureReason> = new Map([
  ["NoEmail", "mailbox_unknown"],
  ["MailboxFull", "mailbox_full"],
  ["MessageTooLarge", "message_too_large"],
  ["ContentRejected", "refused_by_policy"],
  ["AttachmentRejected", "refused_by_policy"],
  ["CustomTimeoutExceeded", "unreachable"],
  // SES has not sent it, because of what became of others.
  ["Suppressed", "refused_by_policy"],
  ["OnAccountSuppressionList", "refused_by_policy"],
  ["UnsubscribedRecipient", "refused_by_policy"],
]);

/** Of the types of delays, those that say more than `General` or `Undetermined`. */
const BY_DELAY: ReadonlyMap<string, FailureReason> = new Map([
  ["MailboxFull", "mailbox_full"],
  ["SpamDetected", "refused_by_policy"],
  ["IPFailure", "refused_by_policy"],
  ["RecipientServerError", "unreachable"],
  ["TransientCommunicationFailure", "unreachable"],
  // SES itself could not send, or did not want to yet.
  ["InternalFailure", "relay_unavailable"],
  ["BYOIPHostNameLookupUnavailable", "relay_unavailable"],
  ["SendingDeferral", "relay_unavailable"],
]);

const nothing = (reason: Extract<SesReading, { kind: "nothing" }>["reason"]): SesReading => ({
  kind: "nothing",
  reason,
});

/** The tag says it, if there is one: then SES itself takes the author for the sender. */
const senderOf = (source: string, [tagged]: readonly string[]): EmailAddress | null =>
  tagged === undefined ? parseEmailAddress(source).unwrapOr(null) : taggedSender(tagged);

const outcome = (
  { source, messageId, tags }: z.output<typeof mail>,
  said: Pick<SesOutcome, "outcome" | "recipients"> & Partial<SesOutcome>,
): SesReading => ({
  kind: "outcome",
  said: {
    sender: senderOf(source, tags[SENDER_TAG]),
    reason: null,
    messageId,
    tag: tags[ALIAS_TAG][0] ?? null,
    verification: tags[VERIFICATION_TAG][0] ?? null,
    ...said,
  },
});

const readBounce = ({ mail, bounce }: z.output<typeof Bounce>): SesReading => {
  const { bounceType, bounceSubType, bouncedRecipients: all } = bounce;
  const isBare = all.every(({ action, status, diagnosticCode }) => !action && !status && !diagnosticCode);
  // So SES classifies what programs answer, such as that somebody is on holiday. A bounce repeats what a server said.
  if (bounceType === "Transient" && bounceSubType === "General" && isBare) return nothing("auto_reply");
  const failed = all.filter(({ action }) => namedAction(action ?? "") !== "delayed");
  if (failed.length === 0 && all.length > 0) return nothing("delayed");
  const [first] = failed;
  return outcome(mail, {
    outcome: "bounced",
    reason:
      BY_SUBTYPE.get(bounceSubType ?? "") ?? statedReason(first?.status ?? "", first?.diagnosticCode ?? ""),
    recipients: failed.map(({ emailAddress }) => emailAddress),
  });
};

const readComplaint = ({ mail, complaint }: z.output<typeof Complaint>): SesReading => {
  const { complaintSubType, complaintFeedbackType: type } = complaint;
  const recipients = complaint.complainedRecipients.map(({ emailAddress }) => emailAddress);
  // Nobody has complained about this message: SES has not sent it.
  if (complaintSubType === "OnAccountSuppressionList")
    return outcome(mail, { outcome: "bounced", reason: "refused_by_policy", recipients });
  return type == null || isComplaint(type)
    ? outcome(mail, { outcome: "complaint", recipients })
    : nothing("other_feedback");
};

const readDelay = ({ mail, deliveryDelay }: z.output<typeof DeliveryDelay>): SesReading => {
  const { delayType, delayedRecipients: all } = deliveryDelay;
  const [first] = all;
  return outcome(mail, {
    outcome: "delayed",
    reason: BY_DELAY.get(delayType ?? "") ?? statedReason(first?.status ?? "", first?.diagnosticCode ?? ""),
    recipients: all.map(({ emailAddress }) => emailAddress),
  });
};

/** How to read each type of event; those that are not here say nothing of what becomes of a message. */
const READERS: ReadonlyMap<string, z.ZodType<SesReading>> = new Map<string, z.ZodType<SesReading>>([
  [
    "Delivery",
    Delivery.transform(({ mail, delivery }) =>
      outcome(mail, { outcome: "delivered", recipients: delivery.recipients }),
    ),
  ],
  ["Bounce", Bounce.transform(readBounce)],
  ["Complaint", Complaint.transform(readComplaint)],
  [
    "Reject",
    Reject.transform(({ mail }) =>
      outcome(mail, { outcome: "bounced", reason: "refused_by_policy", recipients: mail.destination }),
    ),
  ],
  ["DeliveryDelay", DeliveryDelay.transform(readDelay)],
]);

/**
 * Reads an event of SES (`openEnvelopes`): of event publishing, or an older notification.
 *
 * SES names the envelope sender (`mail.source`, or the tag of `sesRelay`), which tells which copy it was. Several recipients are then
 * several mailboxes that the one recipient of the copy has passed it on to: the event is one outcome.
 */
export const readSesEvent = (body: string): Result<SesReading, string> =>
  openEnvelopes(body).andThen((opened) => {
    const reader = opened === null ? undefined : READERS.get(opened.type);
    return opened === null || reader === undefined ? ok(nothing("no_report")) : readAs(reader, opened);
  });
