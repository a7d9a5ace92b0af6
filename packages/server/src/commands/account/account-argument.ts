import { type AccountId, err, parseAccountId, type Result } from "@postern/core";

/** The account that is the first argument. */
export const accountArgument = ([text]: readonly string[]): Result<AccountId, string> =>
  parseAccountId(text).orElse(({ issues }) =>
    err(`ACCOUNT is not an account id: it ${issues.map(({ reason }) => reason).join("; ")}.`),
  );
