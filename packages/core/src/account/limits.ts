import type { Result } from "neverthrow";
import * as z from "zod";
import { type InvalidRequest, parse } from "../values/parse.ts";

/** The limits of an account. 0 means no limit. */
export type AccountLimits = {
  /** Aliases, deleted ones included: their addresses stay taken. Erased ones do not count. */
  readonly aliases: number;
  readonly recipients: number;
  /** Recipients that are not verified yet. */
  readonly unverifiedRecipients: number;
  /** Contacts of each alias. At the limit, some are evicted to make room for new ones (`Contacts.record`). */
  readonly contacts: number;
  /** Blocked senders: addresses and domains. */
  readonly blockedSenders: number;
  /** Messages in the log of each alias. The oldest ones go. */
  readonly loggedMessagesOfAlias: number;
  /** Messages in the logs of all aliases together. The oldest ones go. */
  readonly loggedMessages: number;
  /** Verification messages in any 24 hours, whichever mailboxes they go to. At most 1,000: the time of each is stored. */
  readonly verificationMessages: number;
};

const MAX_MESSAGES = 1000;

/** The limits that apply by default. */
export const DEFAULT_LIMITS: AccountLimits = {
  aliases: 10_000,
  recipients: 200,
  unverifiedRecipients: 20,
  contacts: 10_000,
  blockedSenders: 1_000,
  loggedMessagesOfAlias: 10_000,
  loggedMessages: 100_000,
  verificationMessages: 100,
};

const limit = z.int().nonnegative();

const accountLimits = z.strictObject({
  aliases: limit.default(DEFAULT_LIMITS.aliases),
  recipients: limit.default(DEFAULT_LIMITS.recipients),
  unverifiedRecipients: limit.default(DEFAULT_LIMITS.unverifiedRecipients),
  contacts: limit.default(DEFAULT_LIMITS.contacts),
  blockedSenders: limit.default(DEFAULT_LIMITS.blockedSenders),
  loggedMessagesOfAlias: limit.default(DEFAULT_LIMITS.loggedMessagesOfAlias),
  loggedMessages: limit.default(DEFAULT_LIMITS.loggedMessages),
  verificationMessages: limit
    .max(MAX_MESSAGES, `must be at most ${MAX_MESSAGES}`)
    .default(DEFAULT_LIMITS.verificationMessages),
});

/** Parses the limits of an account. Missing ones default to those in `DEFAULT_LIMITS`. */
export const parseAccountLimits = (input: unknown): Result<AccountLimits, InvalidRequest> =>
  parse(accountLimits, input);

/** For callers to which no limits apply, such as an import. */
export const NO_LIMITS: AccountLimits = {
  aliases: 0,
  recipients: 0,
  unverifiedRecipients: 0,
  contacts: 0,
  blockedSenders: 0,
  loggedMessagesOfAlias: 0,
  loggedMessages: 0,
  verificationMessages: 0,
};
