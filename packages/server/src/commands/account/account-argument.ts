import { type AccountId, err, parseAccountId, type Result } from "@postern/core";

/** The account named by the only argument; null unless there is exactly one argument. */
export const accountArgument = (args: readonly string[]): Result<AccountId, string> | null => {
  const [text, ...more] = args;
  if (text === undefined || more.length > 0) return null;
  return parseAccountId(text).orElse(({ issues }) =>
    err(`ACCOUNT is not an account id: it ${issues.map(({ reason }) => reason).join("; ")}.`),
  );
};
