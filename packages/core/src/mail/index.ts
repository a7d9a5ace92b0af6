export { failureReason, reasonOfAnswer } from "../message-log/failure-reason.ts";
export type {
  AdmittedRecipient,
  InactiveMode,
  RecipientRefusal,
} from "../use-cases/mail/admit-recipient.ts";
export { COPIES_AT_ONCE } from "../use-cases/mail/forward-copies.ts";
export { queuedVerificationMail } from "../use-cases/mail/queue-verification.ts";
export type { ArrivedMail, SenderBlocked } from "../use-cases/mail/receive-message.ts";
export type { ReportResult } from "../use-cases/mail/record-report.ts";
export type { DmarcMode, MessageRefusal } from "./admission.ts";
export {
  type AliasAddress,
  COPY_LIFETIME,
  Copy,
  type CopyId,
  type CopyPurpose,
  type CopyState,
  LONGEST_DELAY,
  type NamedContact,
  RELAY_PAUSE,
  type Settlement,
  VERIFICATION_LIFETIME,
  type VerificationPurpose,
} from "./copy.ts";
export {
  isReport,
  type ReportIgnored,
  type ReportMessage,
  type ReportPart,
  type ReportReading,
} from "./delivery-report.ts";
export { type NoticeMode, rememberedHeader } from "./failure-notice.ts";
export { type HeaderField, HeaderFields } from "./header-fields.ts";
export { aliasOfLog, canBeSentAgain, changesLog, isInLogOf } from "./log-entry.ts";
export {
  newCopyId,
  newMessageId,
  newSpoolId,
  parseCopyId,
  parseMessageId,
  parseSpoolId,
} from "./mail-ids.ts";
export { type MailPlane, type MailPlanePorts, mailPlane } from "./mail-plane.ts";
export type { MailTransaction } from "./mail-transaction.ts";
export {
  type Alignment,
  type Authentication,
  isHeaderTooLarge,
  MAX_HEADER_LINES,
  MAX_HEADER_OCTETS,
  type Message,
  type MessageId,
  type OwnMessage,
  type ReceivedMessage,
  type Session,
  type Signature,
  type Verdict,
} from "./message.ts";
export {
  type Concealment,
  type DueCopy,
  type Envelope,
  EVICTION_THRESHOLD,
  FAILED_BODY_RETENTION,
  type LoggedRevision,
  MAIL_RETENTION,
  type MailBody,
  type Mailing,
  type MailRelay,
  type MailSigner,
  type OwnMailing,
  type ReceivedBody,
  type RelayAnswer,
  type Spool,
  type SpoolFull,
  spoolOctets,
  type Taken,
  type UncountedOutcome,
  type Unlogged,
  type VerificationWriter,
} from "./ports.ts";
export type { ReplyRefusal } from "./reply-admission.ts";
export { reportParts } from "./report-parts.ts";
export { parseCopy } from "./stored-copy.ts";
export { parseMessage } from "./stored-message.ts";
export {
  emptyTurns,
  groupOf,
  groupWithin,
  type PartyQueue,
  partyOf,
  type Turns,
  takeInTurns,
} from "./taking.ts";
