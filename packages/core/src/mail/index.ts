export type { AliasAddress, Copy, CopyId, CopyPurpose, CopyState, Settlement } from "./copy.ts";
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
