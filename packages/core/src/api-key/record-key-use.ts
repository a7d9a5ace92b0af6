import { putNewest } from "../operation/put-newest.ts";
import type { Clock } from "../ports/clock.ts";
import type { OnUnreported } from "../ports/port-result.ts";
import type { LedgerKey } from "../values/ledger-key.ts";
import { ApiKey, type ClientKind, HOUR } from "./api-key.ts";
import type { ApiKeys } from "./api-keys.ts";

/** How long after an attempt that failed, or that still runs, the use of a key is recorded again, in milliseconds. */
const RETRY_MS = 10_000;

/** Beyond this number of keys, the one used first is forgotten. */
const MAX_KEYS = 10_000;

export type RecordKeyUse = (apiKey: ApiKey, by: ClientKind, timeLeft: number) => Promise<void>;

/**
 * Records that keys are used: each once in every hour, however many calls use it at once, and whatever is cached about it. A failure is
 * passed to `onUnreported`.
 */
export const recordKeyUse = ({
  apiKeys,
  clock,
  onUnreported,
}: {
  readonly apiKeys: Pick<ApiKeys, "recordUse">;
  readonly clock: Pick<Clock, "now">;
  readonly onUnreported?: OnUnreported | undefined;
}): RecordKeyUse => {
  /** When the use of a key is to be recorded next, at the earliest. */
  const nextAt = new Map<LedgerKey, number>();
  const setNext = (hash: LedgerKey, at: number): void => putNewest(nextAt, MAX_KEYS, hash, at);

  return async (apiKey, by, timeLeft) => {
    const now = clock.now();
    const use = ApiKey.use(apiKey, by, now);
    if (use === null || now < (nextAt.get(apiKey.hash) ?? now)) return;
    setNext(apiKey.hash, now + RETRY_MS);
    const recorded = await apiKeys.recordUse(apiKey, use, timeLeft);
    if (recorded.isOk()) setNext(apiKey.hash, use.at + HOUR);
    else onUnreported?.(recorded.error);
  };
};
