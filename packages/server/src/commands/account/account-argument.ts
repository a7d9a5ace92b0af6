import { type AccountId, err, parseAccountId, type Result } from "@postern/core";

/** The account that an argument names, which must be the only one; null if it is not. */
export const accountArgument = (args: readonly string[]): Result<AccountId, string> | null => {
  const [text, ...more] = args;
  if (text === undefined || more.length > 0) return null;
  return parseAccountId(text).orElse(({ issues }) =>
    err(`ACCOUNT is not an account id: it ${issues.map(({ reason }) => reason).join("; ")}.`),
  );
};
