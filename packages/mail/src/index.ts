export type { DmarcMode, InactiveMode, NoticeMode, PauseEvent } from "./context.ts";
export type { UncountedOutcome } from "./copy/copy.ts";
export { Copy, type CopyState, LONGEST_DELAY, RELAY_PAUSE, type Settlement } from "./copy/copy.ts";
export {
  type AliasAddress,
  COPY_LIFETIME,
  type CopyPurpose,
  type NamedContact,
  VERIFICATION_LIFETIME,
  type VerificationPurpose,
} from "./copy/purpose.ts";
export { reasonOfAnswer } from "./copy/reason-of-answer.ts";
export { statusInWords } from "./copy/status-in-words.ts";
export { parseCopy } from "./copy/stored-copy.ts";
export {
  type AccountQueue,
  accountOf,
  emptyTurns,
  groupOf,
  groupWithin,
  type Turns,
  takeInTurns,
} from "./copy/taking.ts";
export { type BounceProbe, beginBounceProbe } from "./delivery-reports/bounce-probe.ts";
export {
  isComplaint,
  isReport,
  type ReportIgnored,
  type ReportMessage,
  type ReportReading,
} from "./delivery-reports/delivery-report.ts";
export {
  type ProviderReport,
  type ProviderReportsPorts,
  providerReports,
} from "./delivery-reports/provider-reports.ts";
export { namedAction, statedReason } from "./delivery-reports/recipient-status.ts";
export type { ReportResult } from "./delivery-reports/record-report.ts";
export { type ReportPart, reportParts } from "./delivery-reports/report-parts.ts";
export { COPIES_AT_ONCE } from "./forwarding/forward-copies.ts";
export { contentType } from "./header/content-type.ts";
export { type HeaderField, HeaderFields } from "./header/header-fields.ts";
export { wellFormedField } from "./header/well-formed-field.ts";
export { writeField } from "./header/write-field.ts";
export { type Loop, loop } from "./loop.ts";
export { type MailPlane, type MailPlanePorts, mailPlane } from "./mail-plane.ts";
export { copyOfBounceAddress } from "./message/bounce-address.ts";
export { BodyGone, type MailBody } from "./message/mail-body.ts";
export type { MailTransaction } from "./message/mail-transaction.ts";
export {
  type Alignment,
  type Authentication,
  isHeaderTooLarge,
  MAX_HEADER_LINES,
  MAX_HEADER_OCTETS,
  type Message,
  type OwnMessage,
  type ReceivedMessage,
  type Session,
  type Signature,
  type Verdict,
} from "./message/message.ts";
export { readBeginning } from "./message/read-beginning.ts";
export { parseMessage } from "./message/stored-message.ts";
export { rememberedHeader } from "./notices/failure-notice.ts";
export { aliasOfLog, canBeSentAgain, changesLog, failedAt, isInLogOf } from "./outcomes/log-entry.ts";
export type { MessageRefusal } from "./receiving/admission.ts";
export { type AnsweredAuthor, isAnswer, type NotAReport } from "./receiving/admit-answer.ts";
export type { AdmittedRecipient, RecipientRefusal } from "./receiving/admit-recipient.ts";
export type { ArrivedMail, SenderBlocked } from "./receiving/receive-message.ts";
export type { ReplyRefusal } from "./receiving/reply-admission.ts";
export type { Envelope, MailRelay, RelayAnswer } from "./relay.ts";
export type { MailSigner, SentMail } from "./signer.ts";
export {
  DROPPED,
  type DueCopy,
  EVICTION_THRESHOLD,
  type ForwardingPause,
  HISTORY_SHARE,
  isWithinShare,
  LARGEST,
  type LoggedRevision,
  MAIL_RETENTION,
  type Mailing,
  type OwnMailing,
  RETRIED,
  type ReceivedBody,
  type Spool,
  type SpoolFull,
  spoolOctets,
  type Taken,
  type Unlogged,
} from "./spool.ts";
export { queuedVerificationMail } from "./verification/queue-verification.ts";
export type { VerificationSettings } from "./verification/verification-settings.ts";
export { type VerificationWriter, verificationWriter } from "./verification/verification-writer.ts";
