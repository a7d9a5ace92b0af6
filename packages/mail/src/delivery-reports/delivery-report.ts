import {
  type CopyId,
  type EmailAddress,
  type FailureReason,
  failureReason,
  type MailOutcome,
  type MessageId,
  parseEmailAddress,
} from "@postern/core";
import { parseAddressList } from "../header/address-list.ts";
import { type HeaderField, HeaderFields } from "../header/header-fields.ts";
import { copyOfBounceAddress } from "../message/bounce-address.ts";
import { messageOfReference } from "../message/message-reference.ts";

/** What is read of a message that may be a report. */
export type ReportMessage = {
  /** The envelope sender; empty for the null sender. */
  readonly returnPath: string;
  /** As in `ReceivedMessage`. */
  readonly header: string;
  /** Read from the beginning of the message (`reportParts`). */
  readonly parts: readonly ReportPart[];
};

/** A part that contains no other parts. An enclosed message is one part, and its content begins with its header. */
export type ReportPart = {
  /** The media type in lower case, without parameters, such as `message/delivery-status`. */
  readonly type: string;
  /** Decoded; each character is one octet. */
  readonly content: string;
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
  | { readonly copy: CopyId }
  /** Anybody can make up a reference in this form. */
  | { readonly message: MessageId; readonly reference: string };

/**
 * Why nothing is counted: delivery is still being attempted (`delayed`); the message was passed on to several mailboxes (`expanded`) or to
 * an alias (`passed_on`); somebody or a program answered it (`auto_reply`) or read it (`read_receipt`); the report is about authentication,
 * or says that a message is not spam (`other_feedback`); or the reason is not known (`unknown`).
 */
export type ReportIgnored =
  | "delayed"
  | "expanded"
  | "passed_on"
  | "auto_reply"
  | "read_receipt"
  | "other_feedback"
  | "unknown";

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

/** The first word of a value, in lower case: `failed` for `Failed (permanently)`. */
const firstWord = (value: string): string => value.toLowerCase().replace(/[^a-z0-9.-].*/s, "");

/** The groups of fields in a part (RFC 3464, section 2.1). Blank lines separate them. */
const groups = (content: string): readonly (readonly HeaderField[])[] =>
  content
    .replace(/\r\n?/g, "\n")
    .split(/\n[ \t]*\n/)
    .map(HeaderFields.split);

/** By decreasing weight: a report about several mailboxes to which one copy was passed on counts as the worst of its results. */
const ACTIONS = ["failed", "delivered", "relayed", "expanded", "delayed"] as const;
type Action = (typeof ACTIONS)[number];

const actionOfStatus = (status: string): Action | null => {
  if (status.startsWith("5.")) return "failed";
  if (status.startsWith("4.")) return "delayed";
  return status.startsWith("2.") ? "delivered" : null;
};

const actionOf = (fields: readonly HeaderField[]): Action | null => {
  const [action = ""] = HeaderFields.values(fields, "action").map(firstWord);
  const [status = ""] = HeaderFields.values(fields, "status").map(firstWord);
  return ACTIONS.find((known) => known === action) ?? actionOfStatus(status);
};

/** The reply of the server that refused the message, if the report repeats it: `smtp; 550 5.1.1 ...`. */
const REPLY = /^smtp[\t-\r ]*;[\t-\r ]*(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3})(?![^\t-\r ]))?/i;
/** Statuses that say only that it failed. */
const ANY_FAILURE = /^(?:[45]\.0\.0)?$/;

const bounceReason = (fields: readonly HeaderField[]): FailureReason => {
  const [status = ""] = HeaderFields.values(fields, "status").map(firstWord);
  const [diagnostic = ""] = HeaderFields.values(fields, "diagnostic-code");
  const [, code, replied] = REPLY.exec(diagnostic) ?? [];
  return failureReason(
    code === undefined ? null : Number(code),
    ANY_FAILURE.test(status) ? (replied ?? null) : status,
  );
};

const bounced = (reason: FailureReason): ReportReading => ({
  kind: "outcome",
  outcome: "bounced",
  about: null,
  reason,
});

/** Whether a mailbox that received the message passed it on to this address. */
type IsPassedOn = (recipient: EmailAddress) => boolean;

const arePassedOn = (addresses: string, isPassedOn: IsPassedOn): boolean => {
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

const readDeliveryStatus = (content: string, isPassedOn: IsPassedOn): ReportReading => {
  const all = groups(content);
  const ours = all.filter((fields) => !isAboutPassingOn(fields, isPassedOn));
  const found = Map.groupBy(ours, actionOf);
  switch (ACTIONS.find((action) => found.has(action))) {
    case "failed":
      return bounced(bounceReason(found.get("failed")?.[0] ?? []));
    case "delivered":
    case "relayed":
      return { kind: "outcome", outcome: "delivered", about: null };
    case "expanded":
      return ignored("expanded");
    case "delayed":
      return ignored("delayed");
    case undefined:
      return ignored(ours.length < all.length ? "passed_on" : "unknown");
  }
};

const copyOf = (mailbox: string): CopyId | null => {
  const [first] = parseAddressList(mailbox);
  return parseEmailAddress(first?.address).match(copyOfBounceAddress, () => null);
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
    const copy = copyOf(sender);
    if (copy !== null) return { copy };
  }
  const [reference = ""] = HeaderFields.values(enclosed, "x-postern-message");
  const message = messageOfReference(reference);
  return message === null ? null : { message, reference };
};

const readFeedback = (content: string, parts: readonly ReportPart[]): ReportReading => {
  const feedback = HeaderFields.split(content);
  const [type = ""] = HeaderFields.values(feedback, "feedback-type").map(firstWord);
  if (!COMPLAINTS.includes(type)) return ignored("other_feedback");
  const enclosedPart = parts.find((part) => ENCLOSED.includes(part.type));
  const message = HeaderFields.withoutMboxLine(enclosedPart?.content ?? "");
  const enclosed = HeaderFields.split(message.slice(0, HeaderFields.lengthIn(message)));
  return { kind: "outcome", outcome: "complaint", about: complaintAbout(feedback, enclosed) };
};

/** What mail servers call themselves in `From`, and failures in `Subject`, if they send nothing machine-readable. */
const MAIL_SERVER = /mailer-daemon|postmaster|mail ?delivery|mail ?(?:administrator|system)/i;
const FAILURE =
  /undeliver|non-?delivery|not be delivered|deliver\w* (?:has )?fail|fail\w* (?:to )?deliver|failure (?:notice|notification)|returned (?:e?mail|to sender)|return(?:ed)? mail|delivery (?:status )?notification \(failure\)|rejected/i;
const DELAY = /delay|warning|temporar|not yet|still (?:being|trying)|will (?:be )?retr/i;
const AUTOMATIC =
  /^(?:auto(?:matic(?:ally)?)?[- :]?(?:repl|respon|answer)|out of (?:the )?office|away from)/i;

const isAutoReply = (fields: readonly HeaderField[]): boolean =>
  HeaderFields.values(fields, "auto-submitted").map(firstWord).includes("auto-replied") ||
  ["x-autoreply", "x-autorespond"].some((name) => HeaderFields.values(fields, name).length > 0) ||
  HeaderFields.values(fields, "precedence").map(firstWord).includes("auto") ||
  HeaderFields.values(fields, "subject").some((subject) => AUTOMATIC.test(subject));

/** In characters. It also bounds how long it takes to look for words. */
const MAX_WORDS = 500;

/** For null senders only: anybody can write these words. */
const readWords = (fields: readonly HeaderField[]): ReportReading => {
  const [from = "", subject = ""] = ["from", "subject"].map((name) =>
    (HeaderFields.values(fields, name)[0] ?? "").slice(0, MAX_WORDS),
  );
  if (!MAIL_SERVER.test(from)) return ignored(isAutoReply(fields) ? "auto_reply" : "unknown");
  if (DELAY.test(subject)) return ignored("delayed");
  return FAILURE.test(subject) ? bounced("other") : ignored("unknown");
};

/**
 * Reads what a message to a copy's address, or to `abuse@`, reports. Structure comes first: machine-readable parts (RFC 3464, RFC 5965),
 * then `X-Failed-Recipients` (Exim), then the words of a mail server. Takes any text.
 *
 * What a report says about recipients for which `isPassedOn` is true does not concern our copy, which had arrived.
 */
export const readReport = (
  { returnPath, header, parts }: ReportMessage,
  isPassedOn: IsPassedOn,
): ReportReading => {
  const status = parts.find(({ type }) => DELIVERY_STATUS.includes(type));
  if (status !== undefined) return readDeliveryStatus(status.content, isPassedOn);
  const feedback = parts.find(({ type }) => type === "message/feedback-report");
  if (feedback !== undefined) return readFeedback(feedback.content, parts);
  if (parts.some(({ type }) => DISPOSITION.includes(type))) return ignored("read_receipt");

  const fields = HeaderFields.split(header);
  // Exim marks its bounces as automatic replies.
  const [failed] = HeaderFields.values(fields, "x-failed-recipients");
  if (failed !== undefined) return arePassedOn(failed, isPassedOn) ? ignored("passed_on") : bounced("other");
  if (returnPath === "") return readWords(fields);
  return ignored(isAutoReply(fields) ? "auto_reply" : "unknown");
};

/** Whether a message is a report of any kind (RFC 6522), including one that contains nothing to count. */
export const isReport = (fields: readonly HeaderField[]): boolean =>
  HeaderFields.values(fields, "content-type").some((type) => /^multipart\/report\b/i.test(type));
