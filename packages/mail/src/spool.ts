import type {
  AccountId,
  Cause,
  CopyId,
  EventId,
  FailureReason,
  LoggedMessage,
  MailOutcome,
  MessageId,
  NonEmpty,
  PortResult,
  SpoolId,
} from "@postern/core";
import type { Page, PageRequest } from "@postern/core/store";
import type { Copy, CopyState, Settlement, UncountedOutcome } from "./copy/copy.ts";
import type { AliasAddress, NamedContact } from "./copy/purpose.ts";
import type { MailBody } from "./message/mail-body.ts";
import type { Message } from "./message/message.ts";

/** The spool has reached its limit, or its disk has no room for new messages. The message can be sent again later. */
export type SpoolFull = { readonly code: "spool_full" };

/** A body that has arrived but does not belong to a message in the spool yet. It is gone when the process ends. */
export type ReceivedBody = MailBody & {
  /** Removes the body, unless it was kept. Idempotent. */
  discard(): Promise<void>;
};

/** A message with its body and its copies. */
export type Mailing = {
  readonly message: Message;
  readonly body: ReceivedBody;
  readonly copies: NonEmpty<Copy>;
};

/** A message that Postern itself wrote, with its body and its copies. */
export type OwnMailing = Pick<Mailing, "message" | "copies"> & { readonly body: Uint8Array };

/** How long messages, their copies and the outcomes of the copies are remembered, in milliseconds: 35 days, unless there are too many. */
export const MAIL_RETENTION = 35 * 24 * 60 * 60 * 1_000;

/** How much what is remembered of finished messages may take up (`spoolOctets`), as a fraction of a spool's limit, to which it is added. */
export const HISTORY_SHARE = 0.25;

/** How much of a spool's limit may be used before `sweep` evicts bodies that nobody is waiting for, as a fraction. */
export const EVICTION_THRESHOLD = 0.75;

/** How many accounts `Spool.largest` names. */
export const LARGEST = 100;

/** How many copies one call of `Spool.dropAll` drops. */
export const DROPPED = 100;

/** How many copies one call of `Spool.retryAll` makes due. */
export const RETRIED = 100;

/**
 * Whether an account gets room for more mail. Until half of the limit is taken up by messages that wait, everybody does. After that, an
 * account may have a quarter of the limit, and no more than is left of it: so however many accounts have taken what they could get, there
 * is room for another one.
 *
 * @param waiting how much of the limit is taken up by all messages with queued copies, in octets
 * @param held how much of that by messages with queued copies of the account
 */
export const isWithinShare = (
  { waiting, held }: { readonly waiting: number; readonly held: number },
  limit: number,
): boolean => waiting <= limit / 2 || held < Math.min(limit / 4, limit - waiting);

/** Roughly how much the contact takes up in a copy. */
const contactOctets = ({ email }: NamedContact): number => email.length + 64;

/**
 * How much of a spool's limit a message uses besides its body, in octets: its header and, for each copy, 1 KiB and the contacts it names,
 * so that empty messages count too.
 */
export const spoolOctets = ({
  message,
  copies,
}: {
  readonly message: Pick<Message, "header">;
  readonly copies: readonly Copy[];
}): number =>
  copies.reduce(
    (octets, { purpose }) =>
      octets +
      1024 +
      (purpose.kind === "forward" ? purpose.contacts.reduce((sum, each) => sum + contactOctets(each), 0) : 0),
    message.header.length,
  );

/** A copy that is due. */
export type DueCopy = { readonly copy: Copy; readonly message: Message; readonly body: MailBody };

/** What `Spool.take` hands out. */
export type Taken = {
  readonly copies: readonly DueCopy[];
  /** Whether a higher limit would have handed out more copies. */
  readonly more: boolean;
};

/** A message whose current state is not yet in the log of an alias. */
export type Unlogged = {
  readonly alias: AliasAddress;
  readonly message: Message;
  /** All of its copies for or from the alias, in the order in which they were kept. */
  readonly copies: NonEmpty<Copy>;
  /** Whether the spool still has its body. */
  readonly hasBody: boolean;
  /** 1 once the message is kept, incremented by each change to what the log should say. */
  readonly revision: number;
};

/** The revision of a message that has been logged for an alias. */
export type LoggedRevision = Pick<LoggedMessage, "id" | "account" | "alias" | "revision">;

/**
 * Why mail that waits is not sent for now, for the operator. `relay`: the relay cannot be used. `refusals`: it refuses every copy. `store`:
 * the store cannot say whether what waits is still wanted.
 */
export type ForwardingPause = {
  readonly reason: "relay" | "refusals" | "store";
  /** What went wrong last; null if that is not known. */
  readonly cause: Cause | null;
  /** When it began, in epoch milliseconds. */
  readonly since: number;
  /** When it is tried whether it is over, in epoch milliseconds. */
  readonly nextAt: number;
};

/** Where accepted messages wait until all their copies are settled. */
export type Spool = {
  /** Made when the spool was created. */
  readonly id: SpoolId;

  /**
   * Takes in a body as it arrives. The spool says how much of that it may hold in memory. A chunk is no longer used once the next one is
   * requested. On failure, nothing is left of the body, even if `chunks` throws, which results in `unavailable`.
   *
   * Here and in `keep`, bodies that `sweep` would forget are evicted early, even within the 7 days, if space runs out: first those of
   * messages without a failed copy, then those of messages that failed earliest.
   */
  receive(chunks: AsyncIterable<Uint8Array>): PortResult<ReceivedBody, SpoolFull>;

  /**
   * Stores the message durably with its body and all its copies (it survives kill -9 and a power failure), all or
   * nothing. The body must come from `receive` of this spool. Repeating the call with the same message id changes
   * nothing.
   */
  keep(mailing: Mailing): PortResult<void, SpoolFull>;

  /**
   * Whether mail for the account (`accountOf`) should be accepted, as `isWithinShare` says. `keep` does not look at it, so that what was
   * begun can be completed.
   */
  hasRoom(account: string): PortResult<boolean>;

  /**
   * The accounts whose waiting messages take up most of the limit, up to `LARGEST`, the first of all first; none as long as all messages
   * that wait take up at most three quarters of it (`EVICTION_THRESHOLD`).
   */
  largest(): PortResult<readonly AccountId[]>;

  /**
   * The copy with its message, as long as they are remembered (35 days); null otherwise. Once the body is forgotten, the
   * message's header is only what `rememberedHeader` leaves of it.
   */
  find(copy: CopyId): PortResult<{ readonly copy: Copy; readonly message: Message } | null>;

  /** The copies of the message, in any order, as long as they are remembered (35 days); none otherwise. */
  findAll(message: MessageId): PortResult<readonly Copy[]>;

  /**
   * Up to `limit` queued copies that are due at `now`; fewer only if there are no more. Accounts take turns, within a call and from call to
   * call; within an account, the copies due longest come first. Copies of one message for one alias are handed out together, as far as
   * `limit` allows. Each copy is handed out once: not again until it has been settled or the spool has been reopened. How long a call takes
   * depends on `limit`, and hardly on how many copies are queued or how many accounts they belong to.
   *
   * @param except the accounts (`accountOf`) that get nothing in this call, as if they had nothing queued
   */
  take(now: number, limit: number, except: readonly string[]): PortResult<Taken>;

  /** When the next copy that has not been handed out will be due after this time, in epoch milliseconds; null if there is none. */
  nextDue(after: number): PortResult<number | null>;

  /**
   * Stores the effect of an attempt on the copy, with the outcomes to count (`Copy.counted`), in one transaction. A final copy stays as it
   * is. `ifNoneLeft` is kept in the same transaction if no copy of the message for the same alias is now queued or sent, at least one of
   * them has failed or expired, and no such message has been kept for them before. The limit does not apply to it: otherwise a full spool
   * could not get rid of mail that nobody accepts. `spool_full`, and nothing changes, if the disk has no room for it. After `unavailable`
   * the call can be repeated with the same arguments.
   */
  settle(copy: CopyId, settlement: Settlement, ifNoneLeft: OwnMailing | null): PortResult<void, SpoolFull>;

  /**
   * Records what a report says about a copy, however late, as an outcome to count; `duplicate` if this outcome of the copy is already
   * known, from a report or otherwise; `unknown` if the copy is not remembered. In any case, the copy becomes what `Copy.report` says,
   * because one that was sent again can bounce again, and what `Copy.implied` says is recorded as well. A queued copy that ends this way is
   * no longer handed out; an attempt in progress, or about to begin, is not stopped. Outcomes for which `Copy.uncounted` is null are
   * remembered, but there is nothing to count. `ifNoneLeft` as in `settle`.
   */
  report(
    copy: CopyId,
    outcome: MailOutcome,
    at: number,
    reason: FailureReason | null,
    ifNoneLeft: OwnMailing | null,
  ): PortResult<"recorded" | "duplicate" | "unknown", SpoolFull>;

  /** Records that delivery of a copy is still being attempted: it becomes what `Copy.delay` says. Nothing is counted. */
  delay(copy: CopyId, reason: FailureReason): PortResult<void>;

  /** Up to `limit` outcomes that have yet to be counted, in the order in which they were stored. */
  uncounted(limit: number): PortResult<readonly UncountedOutcome[]>;

  /** Marks these outcomes as counted. Idempotent. */
  counted(events: readonly EventId[]): PortResult<void>;

  /**
   * Up to `limit` messages that have yet to be logged, each for one alias, in the order in which they became unlogged; for new messages, in
   * the order of their copies. A message with a copy for or from an alias (`aliasOfLog`) is unlogged once it is kept, and again whenever
   * such a copy has changed in a way that the log has to show (`changesLog`), or its body has been evicted early.
   */
  unlogged(limit: number): PortResult<readonly Unlogged[]>;

  /** Marks these revisions as logged. A message with a later revision is still unlogged. Idempotent. */
  logged(revisions: readonly LoggedRevision[]): PortResult<void>;

  /**
   * Forgets the bodies of messages without queued copies, and all of their headers except `rememberedHeader`. If a copy can be sent again
   * (`canBeSentAgain`), that happens only once 7 days have passed since the last such copy failed, or once three quarters of the limit
   * (`EVICTION_THRESHOLD`) are used: then bodies are evicted as in `receive`. Forgets everything about messages more than 35 days old that
   * have no queued copies, no body and no outcomes to count, whether or not they are logged; and about the oldest of the others without
   * these, until what is remembered of messages without a body takes up at most `HISTORY_SHARE` of the limit.
   *
   * Makes queued copies due now if they would only be due in more than `LONGEST_DELAY`: they were deferred while the clock was ahead.
   *
   * Does a bounded amount of work per call. Returns whether there is more to do.
   */
  sweep(now: number): PortResult<boolean>;

  /** The queued copies, handed out or not, each once, in an order of the spool's choice. For the operator. */
  list(page: PageRequest<CopyId>): PortResult<Page<Copy, CopyId>>;

  /**
   * Makes the copy due now (`Copy.retry`). One that failed, expired or was dropped is queued again, unless the body of its message has been
   * forgotten. Returns its resulting state; null if it is not remembered.
   */
  retry(copy: CopyId, now: number): PortResult<CopyState | null>;

  /**
   * Sends a message again, all or nothing: of these copies, those that it already has are made due now as in `retry`, unless they are
   * queued, and the others are added to it. They do not count toward the limit. Returns whether the body is still there; if it has been
   * forgotten, nothing changes.
   */
  resend(message: MessageId, copies: NonEmpty<Copy>, now: number): PortResult<boolean>;

  /**
   * For the operator: drops a queued copy. It is no longer handed out, and nothing is counted. An attempt in progress, or about to
   * begin, is not stopped. Returns its resulting state; null if it is not remembered.
   */
  drop(copy: CopyId, now: number): PortResult<CopyState | null>;

  /** For the operator: makes up to `RETRIED` queued copies due now that are not due yet. Returns how many. */
  retryAll(now: number): PortResult<number>;

  /** Stores that forwarding is paused, in place of what was stored before; or, with null, that it is not. */
  setPause(pause: ForwardingPause | null): PortResult<void>;

  /** The pause that is stored; null if there is none. */
  pause(): PortResult<ForwardingPause | null>;

  /**
   * For the operator: makes the pause that is stored due now (`nextAt`), unless it is already due, so that whoever forwards tries again at
   * once. Returns it; null if there is none.
   */
  hurry(now: number): PortResult<ForwardingPause | null>;

  /** Drops up to `DROPPED` queued copies of the account, as `drop` does. Returns how many. */
  dropAll(account: AccountId, now: number): PortResult<number>;

  /**
   * For the operator. `bytes` is what the limit applies to: bodies, including received ones, and the `spoolOctets` of messages whose bodies
   * have not been forgotten.
   */
  size(): PortResult<{
    readonly queued: number;
    readonly bytes: number;
    /** When the oldest queued message was received, in epoch milliseconds; null if none is queued. */
    readonly oldestAt: number | null;
    readonly uncounted: number;
    /** How many messages have yet to be logged, each counted once for each alias. */
    readonly unlogged: number;
  }>;
};
