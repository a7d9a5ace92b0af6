import type {
  AccountId,
  CopyId,
  EventId,
  FailureReason,
  MailOutcome,
  MessageId,
  NonEmpty,
  SpoolId,
  Unavailable,
} from "@postern/core";
import type { Page, PageRequest } from "@postern/core/store";
import type {
  Copy,
  CopyState,
  ForwardingPause,
  LoggedRevision,
  Mailing,
  Message,
  Settlement,
  SpoolFull,
  UncountedOutcome,
  Unlogged,
} from "@postern/mail";
import type { OpenError } from "../file/open-error.ts";
import type { Usage } from "./disk-room.ts";

/* The messages between the spool and its thread. */

/** A body in memory, or in a file of this name. */
export type StoredBody = { readonly size: number } & (
  | { readonly content: Uint8Array }
  | { readonly file: string }
);

export type StoredMailing = {
  readonly message: Message;
  readonly body: StoredBody;
  readonly copies: Mailing["copies"];
};

/** Where the evicted bodies are stored. */
export type EvictedFrom = "files" | "anywhere";

/**
 * The notice to keep if no copy is left and one has failed. `no room yet`: a call that needs it is `full`, to be repeated once
 * there is room.
 */
export type NoticeToKeep = StoredMailing | "no room yet" | null;

/** The calls that the thread answers, by name. */
export type Calls = {
  keep(mailing: StoredMailing): "kept" | "known";
  /** How much of the limit is taken up by messages that wait, and by those of the account. */
  shareOf(account: string): { readonly waiting: number; readonly held: number };
  /** The accounts whose waiting messages take up most, if all that wait take up more than this. */
  largest(threshold: number): readonly AccountId[];
  find(copy: CopyId): { readonly copy: Copy; readonly message: Message } | null;
  findAll(message: MessageId): readonly Copy[];
  take(
    now: number,
    limit: number,
    except: readonly string[],
  ): {
    readonly copies: readonly { readonly copy: Copy; readonly message: Message; readonly body: StoredBody }[];
    readonly more: boolean;
  };
  /** Puts back copies from `take` that nobody has received. */
  putBack(copies: readonly CopyId[]): void;
  nextDue(after: number): number | null;
  settle(copy: CopyId, settlement: Settlement, ifNoneLeft: NoticeToKeep): void;
  report(
    copy: CopyId,
    outcome: MailOutcome,
    at: number,
    reason: FailureReason | null,
    ifNoneLeft: NoticeToKeep,
  ): "recorded" | "duplicate" | "unknown";
  delay(copy: CopyId, reason: FailureReason): void;
  uncounted(limit: number): readonly UncountedOutcome[];
  counted(events: readonly EventId[]): void;
  unlogged(limit: number): readonly Unlogged[];
  logged(revisions: readonly LoggedRevision[]): void;
  /** @param most how much may be remembered of messages without a body */
  sweep(now: number, most: number): boolean;
  /** Forgets some bodies that no copy waits for, until this many octets are released. Returns how many were, or 0 if there are none. */
  evict(octets: number, from: EvictedFrom): number;
  list(page: PageRequest<CopyId>): Page<Copy, CopyId>;
  retry(copy: CopyId, now: number): CopyState | null;
  resend(message: MessageId, copies: NonEmpty<Copy>, now: number): boolean;
  drop(copy: CopyId, now: number): CopyState | null;
  dropAll(account: AccountId, now: number): number;
  retryAll(now: number): number;
  setPause(pause: ForwardingPause | null): void;
  pause(): ForwardingPause | null;
  hurry(now: number): ForwardingPause | null;
  size(): {
    readonly queued: number;
    readonly oldestAt: number | null;
    readonly uncounted: number;
    readonly unlogged: number;
  };
  /** Deletes the file of a body, unless the body was kept. */
  discard(file: string): void;
  close(): void;
};

export type CallName = keyof Calls;

export type Request = {
  readonly id: number;
  /** In milliseconds since the epoch, by the monotonic clock that all threads share. */
  readonly deadline: number;
} & {
  readonly [Name in CallName]: { readonly name: Name; readonly args: Parameters<Calls[Name]> };
}[CallName];

export type Reply = { readonly id: number } & (
  | { readonly value: unknown }
  | { readonly error: Unavailable | SpoolFull }
);

/** The replies to calls that were committed together, and the space that the spool now takes up. */
export type Replies = { readonly replies: readonly Reply[]; readonly usage: Usage };

export type Opened =
  | { readonly opened: true; readonly id: SpoolId; readonly usage: Usage }
  | { readonly error: OpenError };

/** The time in milliseconds, by a clock that never goes back and is the same in all threads. */
export const monotonicNow = (): number => performance.timeOrigin + performance.now();
