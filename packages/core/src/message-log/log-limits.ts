import type { AccountLimits } from "../account/limits.ts";
import type { MessageId } from "../values/identifiers.ts";

/** How many messages the log of an alias keeps, and those of all aliases of an account: the newest ones. 0 means no limit. */
export type LogLimits = Pick<AccountLimits, "loggedMessages" | "loggedMessagesOfAlias">;

/** Counting more than about this many would take too long. */
const SAMPLE = 1_024;

/** The digits of an id. */
const DIGITS = "abcdefghijklmnopqrstuvwxyz234567";

/*
 * Counting thousands of messages for each new one would be slow and, on some stores, expensive. So stores do it for a sample of the messages,
 * chosen by their ids, which are random.
 */
export const LogLimits = {
  /** Of how many messages one is in the sample, on average: of all of them, unless the limits are large. */
  share: ({ loggedMessages, loggedMessagesOfAlias }: LogLimits): number =>
    Math.max(1, Math.ceil(Math.max(loggedMessages, loggedMessagesOfAlias) / SAMPLE)),

  /**
   * How many messages beyond a limit a store forgets at once: more than are saved between two of the sample, so that they cannot pile up,
   * and otherwise few, because other calls wait.
   */
  mostForgotten: (limits: LogLimits): number => Math.max(100, 2 * LogLimits.share(limits)),

  /** Whether a store that saves the message sees to the limits: there is one, and the message is in the sample. */
  isDue: (id: MessageId, limits: LogLimits): boolean => {
    if (limits.loggedMessages === 0 && limits.loggedMessagesOfAlias === 0) return false;
    const number = [...id.slice(-6)].reduce((sum, digit) => sum * DIGITS.length + DIGITS.indexOf(digit), 0);
    return number % LogLimits.share(limits) === 0;
  },
};
