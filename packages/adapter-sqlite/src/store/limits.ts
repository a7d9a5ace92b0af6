import type { AccountId } from "@postern/core";
import type { Database } from "./database.ts";

/** Each selects a row if there are more rows than a given number. Skipping rows is faster than counting them. */
const BEYOND = {
  aliases: "SELECT 1 FROM aliases WHERE account = ? LIMIT 1 OFFSET ?",
  recipients: "SELECT 1 FROM recipients WHERE account = ? LIMIT 1 OFFSET ?",
  unverifiedRecipients: "SELECT 1 FROM recipients WHERE account = ? AND verified_at IS NULL LIMIT 1 OFFSET ?",
  blockedSenders: "SELECT 1 FROM blocked_senders WHERE account = ? LIMIT 1 OFFSET ?",
  apiKeys: "SELECT 1 FROM api_keys WHERE account = ? LIMIT 1 OFFSET ?",
  webhooks: "SELECT 1 FROM webhooks WHERE account = ? LIMIT 1 OFFSET ?",
};

/** Whether the account exceeds a limit, checked in the transaction that has just added an item; 0 means no limit. */
export const exceeds = (
  { sql }: Database,
  account: AccountId,
  counted: keyof typeof BEYOND,
  limit: number,
): boolean => limit > 0 && sql(BEYOND[counted]).get(account, limit) !== undefined;
