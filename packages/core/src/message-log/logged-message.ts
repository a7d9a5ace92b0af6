import type { EmailAddress } from "../values/email-address.ts";
import type { AccountId, AliasId, MessageId, SpoolId } from "../values/identifiers.ts";
import type { FailureReason } from "./failure-reason.ts";
import { type MessagePosition, messagePosition } from "./message-position.ts";

/** How long after its arrival a message can be found in the log, in milliseconds: 30 days. */
export const LOG_RETENTION = 30 * 24 * 60 * 60 * 1_000;

/** How long the body of a message is kept after a copy for or from an alias has failed, in milliseconds: 7 days. */
export const FAILED_BODY_RETENTION = 7 * 24 * 60 * 60 * 1_000;

/** The maximum length of a subject in the log, in UTF-16 code units. */
export const MAX_SUBJECT_LENGTH = 200;

/**
 * What happened to one copy of a message. `queued`: it will be tried, or retried, by us or, as a report says, by the provider who has it.
 * `sent`: our relay has accepted it. `delivered`: a report says that it has arrived. `bounced`: it was refused, at once or later.
 * `expired`: it could not be sent in time. `dropped`: sending was abandoned: by the operator, because its recipient was replaced or its
 * alias deleted, or after five days of suspension.
 */
export type LoggedCopyState = (typeof LOGGED_COPY_STATES)[number];
export const LOGGED_COPY_STATES = ["queued", "sent", "delivered", "bounced", "expired", "dropped"] as const;

export type LoggedCopy = {
  /** A recipient of the alias or, for a reply, one of its contacts. */
  readonly to: EmailAddress;
  readonly state: LoggedCopyState;
  /** When it entered this state, in epoch milliseconds. */
  readonly at: number;
  /** Why it has not been delivered, if that is known; null for copies with which nothing went wrong. */
  readonly reason: FailureReason | null;
};

/** Where the body of a message is kept, and until when, in epoch milliseconds. It can be forgotten earlier if space is needed. */
export type KeptBody = { readonly spool: SpoolId; readonly until: number };

/** Why a message was not forwarded, although it was for the alias. */
export type BlockedReason = (typeof BLOCKED_REASONS)[number];
export const BLOCKED_REASONS = [
  /** It is not from the domain in its `From`, which asks that such messages be rejected (DMARC). */
  "sender_not_authentic",
  /** Its author is a contact that the owner has blocked. */
  "contact_blocked",
  /** The account has blocked its author, or their domain. */
  "sender_blocked",
  /** The alias accepts mail only from people its owner has written to. */
  "not_written_to",
  /** The alias accepts mail only from those people and from the senders in its rules. */
  "not_listed",
  /** The alias is switched off, or has ended. */
  "alias_inactive",
  "account_suspended",
] as const;

/**
 * A message to or from an alias, as its owner sees it later. Never includes its body. A message for several aliases is logged for each of
 * them.
 */
export type LoggedMessage = {
  /** Made when the message arrived; the same as in the spool, if the message is there. */
  readonly id: MessageId;
  readonly account: AccountId;
  readonly alias: AliasId;
  /** When it arrived, in epoch milliseconds. Never changes, and identifies the message together with its id. */
  readonly at: number;
  /** `sent`: somebody who gets the alias's mail wrote it to contacts, or has unsubscribed from a list. */
  readonly direction: "received" | "sent";
  /** Who a received message is from; null if it names nobody, if it was refused before it was read, or if it was sent. */
  readonly contact: EmailAddress | null;
  /** Of header and body, in octets; null if the message was refused before it was sent. */
  readonly size: number | null;
  /**
   * On one line: well-formed, without control characters, and at most 200 code units long (`MAX_SUBJECT_LENGTH`). Null unless the operator
   * has switched subjects on.
   */
  readonly subject: string | null;
  /** Why nothing was forwarded; null if the message was accepted. */
  readonly blocked: BlockedReason | null;
  /** The message of the same log from whose list this one unsubscribes the alias; null if it is any other. */
  readonly unsubscribesFrom: MessagePosition | null;
  /** One for each mailbox that it was meant for; none if it was blocked. */
  readonly copies: readonly LoggedCopy[];
  /** Where its body is, so that failed copies can be sent again; null if nothing failed, or if the body has been forgotten. */
  readonly keptBody: KeptBody | null;
  /**
   * How many messages this stands for: 1, unless more were blocked at the alias within a minute for the same reason, from authors in the
   * same domain or from nobody who is known. Everything else is about the first one.
   */
  readonly count: number;
  /** Starts at 1. A greater revision is a later state of the same message. */
  readonly revision: number;
};

export const LoggedMessage = {
  /** Where the message is in the log of its alias: later ones have greater positions (`compareIds`). */
  position: ({ at, id }: Pick<LoggedMessage, "at" | "id">): MessagePosition => messagePosition(at, id),

  /** The next revision, after another message like it was blocked. */
  repeated: (message: LoggedMessage): LoggedMessage => ({
    ...message,
    count: message.count + 1,
    revision: message.revision + 1,
  }),

  /** Whether the message is too old to be found. */
  isOver: ({ at }: Pick<LoggedMessage, "at">, now: number): boolean => at + LOG_RETENTION <= now,
};
