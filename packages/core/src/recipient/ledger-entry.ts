import { err, ok, type Result } from "neverthrow";
import * as z from "zod";
import type { MailboxSuppressed, RateLimited } from "../errors.ts";
import { type LedgerKey, ledgerKey } from "../values/ledger-key.ts";
import { type InvalidRequest, parse } from "../values/parse.ts";
import { timestamp, version } from "../values/stored.ts";

/**
 * The verification messages charged to one mailbox, or to one account. It names neither, and belongs to no account: it
 * outlives recipients, so deleting one and adding it again does not reset the limits. Times are in epoch milliseconds.
 */
export type LedgerEntry = {
  readonly key: LedgerKey;
  /** One time for each message, oldest first; those older than the longest period of the limits are dropped. */
  readonly chargedAt: readonly number[];
  /** When the owner of the mailbox asked never to be sent a verification message again. */
  readonly suppressedAt: number | null;
  /** From this time on, the entry has no effect, and the store may remove it. Null means never. */
  readonly expiresAt: number | null;
  /** 1 when created, incremented by every save. */
  readonly version: number;
};

/** At most `messages` in any `period` milliseconds. */
export type MessageLimit = { readonly messages: number; readonly period: number };

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Enough for a user who loses a message or two, but too few to bother a stranger. */
export const MAILBOX_LIMITS: readonly MessageLimit[] = [
  { messages: 1, period: MINUTE },
  { messages: 5, period: DAY },
  { messages: 20, period: 30 * DAY },
];

export const dailyLimit = (messages: number): readonly MessageLimit[] => [{ messages, period: DAY }];

const longestPeriod = (limits: readonly MessageLimit[]): number =>
  Math.max(...limits.map(({ period }) => period));

/** When the limits allow the next message. */
const nextAllowed = (chargedAt: readonly number[], limits: readonly MessageLimit[]): number =>
  Math.max(0, ...limits.map(({ messages, period }) => (chargedAt.at(-messages) ?? -period) + period));

const changed = (entry: LedgerEntry, change: Partial<LedgerEntry>): LedgerEntry => ({
  ...entry,
  ...change,
  version: entry.version + 1,
});

export const LedgerEntry = {
  /** The entry for a key that has none stored. Version 0 is never stored itself. */
  none: (key: LedgerKey): LedgerEntry => ({
    key,
    chargedAt: [],
    suppressedAt: null,
    expiresAt: 0,
    version: 0,
  }),

  /** The entry with one more message, charged at `now`, if every limit allows it. */
  charge: (
    entry: LedgerEntry,
    limits: readonly MessageLimit[],
    now: number,
  ): Result<LedgerEntry, RateLimited | MailboxSuppressed> => {
    if (entry.suppressedAt !== null) return err({ code: "mailbox_suppressed" });
    const allowed = nextAllowed(entry.chargedAt, limits);
    if (allowed > now) return err({ code: "rate_limited", retryAfter: allowed - now });
    const longest = longestPeriod(limits);
    const chargedAt = [...entry.chargedAt.filter((at) => at > now - longest), now];
    return ok(changed(entry, { chargedAt, expiresAt: now + longest }));
  },

  /** The entry without the message charged at `at`, which was not sent. */
  refund: (entry: LedgerEntry, at: number): LedgerEntry => {
    const index = entry.chargedAt.lastIndexOf(at);
    return index === -1 ? entry : changed(entry, { chargedAt: entry.chargedAt.toSpliced(index, 1) });
  },

  /** The entry of a mailbox that gets no more verification messages. Idempotent: keeps the first time. */
  suppress: (entry: LedgerEntry, now: number): LedgerEntry =>
    entry.suppressedAt === null ? changed(entry, { suppressedAt: now, expiresAt: null }) : entry,

  /** The entry of a mailbox that may get messages again, as if it had never been suppressed. Idempotent. */
  release: (entry: LedgerEntry, limits: readonly MessageLimit[], now: number): LedgerEntry => {
    if (entry.suppressedAt === null) return entry;
    const last = entry.chargedAt.at(-1);
    const expiresAt = last === undefined ? now : last + longestPeriod(limits);
    return changed(entry, { suppressedAt: null, expiresAt });
  },
};

const ledgerEntry = z.object({
  key: ledgerKey,
  chargedAt: z.array(timestamp),
  suppressedAt: timestamp.nullable(),
  expiresAt: timestamp.nullable(),
  version,
});

/**
 * Parses an entry that was stored or exported as plain data with the fields of `LedgerEntry`. Unknown fields are dropped; a
 * missing one is an issue.
 */
export const parseLedgerEntry = (input: unknown): Result<LedgerEntry, InvalidRequest> =>
  parse(ledgerEntry, input);
