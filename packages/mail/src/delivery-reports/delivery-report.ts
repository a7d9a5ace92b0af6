import {
  type CopyId,
  type EmailAddress,
  type FailureReason,
  failureReason,
  type MailOutcome,
  type MessageId,
  parseEmailAddress,
} from "@postern/core";
import { statusInWords } from "../copy/status-in-words.ts";
import { parseAddressList } from "../header/address-list.ts";
import { type HeaderField, HeaderFields } from "../header/header-fields.ts";
import { copyOfBounceAddress } from "../message/bounce-address.ts";
import { messageOfReference } from "../message/message-reference.ts";
import { ACTIONS, type Action, firstWord, namedAction, statedReason } from "./recipient-status.ts";
import type { ReportPart } from "./report-parts.ts";
import { isAutoReply, isFromMailServer, saidInSubject, saidInText, textOfReport } from "./report-words.ts";

/** What is read of a message that may be a report. */
export type ReportMessage = {
  /** The envelope sender; empty for the null sender. */
  readonly returnPath: string;
  /** As in `ReceivedMessage`. */
  readonly header: string;
  /** Read from the beginning of the message (`reportParts`). */
  readonly parts: readonly ReportPart[];
};

/**
 * What a report says.
 *
 * `about` is the copy that the report itself names, for reports that are not sent to the copy's own address; if it names no copy, only the
 * message, with the reference that an alias has added (`messageReference`); or null. It is taken from what we wrote, never from the
 * recipient that a report names, which may be another one after further forwarding.
 */
export type ReportReading =
  | {
      readonly kind: "outcome";
      readonly outcome: Extract<MailOutcome, "delivered" | "complaint">;
      readonly about: ReportAbout | null;
    }
  | {
      readonly kind: "outcome";
      readonly outcome: Extract<MailOutcome, "bounced">;
      readonly about: null;
      readonly reason: FailureReason;
    }
  | { readonly kind: "nothing"; readonly reason: ReportIgnored };

type ReportAbout =
  /** `address` is where reports about it are sent. */
  | { readonly copy: CopyId; readonly address: EmailAddress }
  /** Anybody can make up a reference in this form. */
  | { readonly message: MessageId; readonly reference: string };

/**
 * Why nothing is counted: delivery is still being attempted (`delayed`); the message was passed on to several mailboxes (`expanded`) or to
 * an alias (`passed_on`); a program answered it (`auto_reply`), or somebody has read it (`read_receipt`); the report is about
 * authentication, or says that a message is not spam (`other_feedback`); it is a report, but what it says is not known (`unknown`); or it
 * is no report at all (`no_report`), such as a message that somebody wrote.
 */
export type ReportIgnored =
  | "delayed"
  | "expanded"
  | "passed_on"
  | "auto_reply"
  | "read_receipt"
  | "other_feedback"
  | "unknown"
  | "no_report";

const ignored = (reason: ReportIgnored): ReportReading => ({ kind: "nothing", reason });

const DELIVERY_STATUS = ["message/delivery-status", "message/global-delivery-status"];
const DISPOSITION = ["message/disposition-notification", "message/global-disposition-notification"];
const ENCLOSED = [
  "message/rfc822",
  "message/rfc822-headers",
  "message/global",
  "text/rfc822-headers",
  "message/global-headers",
];

/** RFC 5965, section 7.3, and `opt-out` (RFC 5965, section 3.5 of its registry). The others are not complaints about us. */
const COMPLAINTS = ["abuse", "fraud", "virus", "other", "opt-out", "opt-out-list"];

/** Whether feedback of this type is a complaint. */
export const isComplaint = (feedbackType: string): boolean => COMPLAINTS.includes(firstWord(feedbackType));

/** The groups of fields in a part (RFC 3464, section 2.1). Blank lines separate them. */
const groups = (content: string): readonly (readonly HeaderField[])[] =>
  content
    .replace(/\r\n?/g, "\n")
    .split(/\n[ \t]*\n/)
    .map(HeaderFields.split);

const actionOfStatus = (status: string): Action | null => {
  if (status.startsWith("5.")) return "failed";
  if (status.startsWith("4.")) return "delayed";
  return status.startsWith("2.") ? "delivered" : null;
};

const actionOf = (fields: readonly HeaderField[]): Action | null => {
  const [action = ""] = HeaderFields.values(fields, "action");
  const [status = ""] = HeaderFields.values(fields, "status").map(firstWord);
  return namedAction(action) ?? actionOfStatus(status);
};

const bounceReason = (fields: readonly HeaderField[]): FailureReason => {
  const [status = ""] = HeaderFields.values(fields, "status");
  const [diagnostic = ""] = HeaderFields.values(fields, "diagnostic-code");
  return statedReason(status, diagnostic);
};

/** Where a server repeats the reply of another one, or gives a status of its own: `(#5.1.1)`. */
const REPLY_IN_TEXT = /(?:^|[ :<>(["'])([45][0-57]\d)[ -]/;
const STATUS_IN_TEXT = /(?:^|[ :(#-])([45]\.[0-7]\.\d{1,3})(?![\d.]*\d)/;

const reasonInText = (parts: readonly ReportPart[]): FailureReason => {
  const text = textOfReport(parts);
  const [, code] = REPLY_IN_TEXT.exec(text) ?? [];
  const [, status = null] = STATUS_IN_TEXT.exec(text) ?? [];
  return failureReason(code === undefined ? null : Number(code), statusInWords(status, text));
};

const bounced = (reason: FailureReason): ReportReading => ({
  kind: "outcome",
  outcome: "bounced",
  about: null,
  reason,
});

/** Whether a mailbox that received the message passed it on to this address. */
type IsPassedOn = (recipient: EmailAddress) => boolean;

/** Whether there are addresses, and a mailbox passed the message on to each of them. */
export const arePassedOn = (addresses: string, isPassedOn: IsPassedOn): boolean => {
  const recipients = parseAddressList(addresses).map(({ address }) =>
    parseEmailAddress(address).unwrapOr(null),
  );
  return recipients.length > 0 && recipients.every((email) => email !== null && isPassedOn(email));
};

/** Whether a group is about such an address: `rfc822; shop@alias.example`. */
const isAboutPassingOn = (fields: readonly HeaderField[], isPassedOn: IsPassedOn): boolean => {
  const [recipient = ""] = ["final-recipient", "original-recipient"].flatMap((name) =>
    HeaderFields.values(fields, name),
  );
  return arePassedOn(recipient.slice(recipient.indexOf(";") + 1), isPassedOn);
};

/** Null if no group says what became of a mailbox. */
const readDeliveryStatus = (
  { content }: ReportPart,
  parts: readonly ReportPart[],
  isPassedOn: IsPassedOn,
): ReportReading | null => {
  const all = groups(content);
  const ours = all.filter((fields) => !isAboutPassingOn(fields, isPassedOn));
  const found = Map.groupBy(ours, actionOf);
  switch (ACTIONS.find((action) => found.has(action))) {
    case "failed": {
      const reason = bounceReason(found.get("failed")?.[0] ?? []);
      return bounced(reason === "other" ? reasonInText(parts) : reason);
    }
    case "delivered":
    case "relayed":
      return { kind: "outcome", outcome: "delivered", about: null };
    case "expanded":
      return ignored("expanded");
    case "delayed":
      return ignored("delayed");
    case undefined:
      return ours.length < all.length ? ignored("passed_on") : null;
  }
};

const copyOf = (mailbox: string): ReportAbout | null => {
  const [first] = parseAddressList(mailbox);
  const address = parseEmailAddress(first?.address).unwrapOr(null);
  const copy = address && copyOfBounceAddress(address);
  return address === null || copy === null ? null : { copy, address };
};

/** How many fields of a kind are read for the sender of the reported message. There should be one, and each costs time. */
const MAX_SENDERS = 5;

/** What a complaint is about: it encloses the message that we sent, or its header. */
const complaintAbout = (
  feedback: readonly HeaderField[],
  enclosed: readonly HeaderField[],
): ReportAbout | null => {
  const senders = [
    ...HeaderFields.values(enclosed, "return-path").slice(0, MAX_SENDERS),
    ...HeaderFields.values(feedback, "original-mail-from").slice(0, MAX_SENDERS),
  ];
  for (const sender of senders) {
    const about = copyOf(sender);
    if (about !== null) return about;
  }
  const [reference = ""] = HeaderFields.values(enclosed, "x-postern-message");
  const message = messageOfReference(reference);
  return message === null ? null : { message, reference };
};

/** `feedback` is the part that says that it is a complaint; empty if there is none. */
const complaint = (feedback: readonly HeaderField[], parts: readonly ReportPart[]): ReportReading => {
  const enclosedPart = parts.find((part) => ENCLOSED.includes(part.type));
  const message = HeaderFields.withoutMboxLine(enclosedPart?.content ?? "");
  const enclosed = HeaderFields.split(message.slice(0, HeaderFields.lengthIn(message)));
  return { kind: "outcome", outcome: "complaint", about: complaintAbout(feedback, enclosed) };
};

const readFeedback = (content: string, parts: readonly ReportPart[]): ReportReading => {
  const feedback = HeaderFields.split(content);
  const [type = ""] = HeaderFields.values(feedback, "feedback-type");
  return isComplaint(type) ? complaint(feedback, parts) : ignored("other_feedback");
};

/** The complaints of Outlook.com (Junk Mail Reporting Program) enclose the message, and have no part that says what they are. */
const isOutlookComplaint = (fields: readonly HeaderField[]): boolean =>
  HeaderFields.values(fields, "from").some((from) => /\bstaff@hotmail\.com\b/i.test(from)) &&
  HeaderFields.values(fields, "subject").some((subject) => /^complaint about message from /i.test(subject));

/** Whether a message is a report of any kind (RFC 6522), including one that contains nothing to count. */
export const isReport = (fields: readonly HeaderField[]): boolean =>
  HeaderFields.values(fields, "content-type").some((type) =>
    /^multipart\/report(?![^\t-\r ;(])/i.test(type),
  ) || isOutlookComplaint(fields);

/** Reports have no sender (RFC 3464, section 2), or one that stands for that. */
const NO_SENDER = /^(?:$|mailer-daemon(?:@|$))/i;

/**
 * Reads what a message to a copy's address, or to `abuse@`, reports. Structure comes first: machine-readable parts (RFC 3464, RFC 5965),
 * then `X-Failed-Recipients` (Exim, Gmail), then the words of a mail server. Takes any text.
 *
 * What a report says about recipients for which `isPassedOn` is true does not concern our copy, which had arrived.
 */
export const readReport = (
  { returnPath, header, parts }: ReportMessage,
  isPassedOn: IsPassedOn,
): ReportReading => {
  const fields = HeaderFields.split(header);
  const hasNoSender = NO_SENDER.test(returnPath);
  const isServers = isReport(fields) || isFromMailServer(fields);

  // Somebody may also forward a report that they got.
  const status =
    isServers || hasNoSender ? parts.find(({ type }) => DELIVERY_STATUS.includes(type)) : undefined;
  const stated = status === undefined ? null : readDeliveryStatus(status, parts, isPassedOn);
  if (stated !== null) return stated;
  const feedback = parts.find(({ type }) => type === "message/feedback-report");
  if (feedback !== undefined) return readFeedback(feedback.content, parts);
  if (isOutlookComplaint(fields)) return complaint([], parts);
  if (parts.some(({ type }) => DISPOSITION.includes(type))) return ignored("read_receipt");

  const [failed] = HeaderFields.values(fields, "x-failed-recipients");
  if (failed !== undefined && arePassedOn(failed, isPassedOn)) return ignored("passed_on");
  const isReporting = isReport(fields) || status !== undefined || (hasNoSender && isServers);
  const subject = isReporting ? saidInSubject(fields) : null;
  if (failed !== undefined) return subject === "delayed" ? ignored("delayed") : bounced(reasonInText(parts));
  // Exim marks its bounces as automatic replies, but says in their subject what they are.
  if (subject === null && isAutoReply(fields)) return ignored("auto_reply");
  const canSay = isReporting || (hasNoSender && parts.some(({ type }) => ENCLOSED.includes(type)));
  switch (subject ?? (canSay ? saidInText(textOfReport(parts)) : null)) {
    case "failed":
      return bounced(reasonInText(parts));
    case "delayed":
      return ignored("delayed");
    case null:
      return ignored(isReporting ? "unknown" : "no_report");
  }
};
