import type { GetAccountCommandOutput } from "@aws-sdk/client-sesv2";

/** Whether SES, or its owner, has switched sending off for the whole account. */
export const isPaused = ({ SendingEnabled, EnforcementStatus }: Partial<GetAccountCommandOutput>): boolean =>
  SendingEnabled !== true || EnforcementStatus === "SHUTDOWN";

/** Whether the account has sent as much in the last 24 hours as it may. */
export const isQuotaUsed = ({ SendQuota: quota }: Partial<GetAccountCommandOutput>): boolean => {
  const { Max24HourSend: allowed = -1, SentLast24Hours: sent = 0 } = quota ?? {};
  // -1 means that there is no limit.
  return allowed >= 0 && sent >= allowed;
};
