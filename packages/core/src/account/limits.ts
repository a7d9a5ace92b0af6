import type { Result } from "neverthrow";
import * as z from "zod";
import { type InvalidRequest, parse } from "../values/parse.ts";

/** How much one account may have. 0 means no limit. */
export type AccountLimits = {
  /** Aliases, deleted ones included: their addresses stay taken. Erased ones do not count. */
  readonly aliases: number;
  readonly recipients: number;
  /** Recipients that are not verified yet. */
  readonly unverifiedRecipients: number;
  /** Verification messages in any 24 hours, whatever mailbox they go to. */
  readonly verificationMessages: number;
};

const limit = (byDefault: number) => z.int().nonnegative().default(byDefault);

const accountLimits = z.strictObject({
  aliases: limit(10_000),
  recipients: limit(200),
  unverifiedRecipients: limit(20),
  verificationMessages: limit(100),
});

/** Parses the limits of an account. A missing one has its default: 10,000, 200, 20 and 100. */
export const parseAccountLimits = (input: unknown): Result<AccountLimits, InvalidRequest> =>
  parse(accountLimits, input);

/** For writers that the limits do not apply to, such as an import. */
export const NO_LIMITS: AccountLimits = {
  aliases: 0,
  recipients: 0,
  unverifiedRecipients: 0,
  verificationMessages: 0,
};
