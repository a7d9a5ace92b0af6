import type { AccountId } from "@postern/core";
import type { Database } from "./database.ts";

const COUNTS = {
  aliases: "SELECT count(*) AS n FROM (SELECT 1 FROM aliases WHERE account = ? LIMIT ?)",
  recipients: "SELECT count(*) AS n FROM (SELECT 1 FROM recipients WHERE account = ? LIMIT ?)",
  unverifiedRecipients:
    "SELECT count(*) AS n FROM (SELECT 1 FROM recipients WHERE account = ? AND verified_at IS NULL LIMIT ?)",
};

/** Whether the account has more than it may have, inside the transaction that has added one; 0 is no limit. */
export const exceeds = (
  { sql }: Database,
  account: AccountId,
  counted: keyof typeof COUNTS,
  limit: number,
): boolean => limit > 0 && Number(sql(COUNTS[counted]).get(account, limit + 1)?.["n"]) > limit;
