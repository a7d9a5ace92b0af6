export type { DmarcMode, MessageRefusal } from "./admission.ts";
export type { AliasAddress, Copy, CopyId, CopyPurpose, CopyState, Settlement } from "./copy.ts";
export type { ReportIgnored, ReportMessage, ReportPart, ReportReading } from "./delivery-report.ts";
export type { NoticeMode } from "./failure-notice.ts";
export { type HeaderField, HeaderFields } from "./header-fields.ts";
export { MAX_MAIL_DOMAIN_LENGTH } from "./mail-addresses.ts";
export { parseCopyId, parseMessageId } from "./mail-ids.ts";
export {
  type Authentication,
  MAX_HEADER_OCTETS,
  type Message,
  type MessageId,
  type OwnMessage,
  type ReceivedMessage,
  type Session,
  type Verdict,
} from "./message.ts";
export type {
  DueCopy,
  Envelope,
  MailBody,
  Mailing,
  MailRelay,
  MailSigner,
  ReceivedBody,
  RelayAnswer,
  Spool,
  SpoolFull,
  UntoldOutcome,
} from "./ports.ts";
