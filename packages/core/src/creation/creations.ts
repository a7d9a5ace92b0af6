import type { PortResult } from "../ports/port-result.ts";
import type { AccountId } from "../values/identifiers.ts";
import type { LedgerKey } from "../values/ledger-key.ts";
import type { Creation } from "./creation.ts";

/** What was created with which idempotency key. `Aliases.create` and `Webhooks.create` add to it. */
export type Creations = {
  /**
   * What the account created with this key; null if nothing. Sees every write that completed before the call. Creations
   * that have expired may be missing.
   */
  find(account: AccountId, key: LedgerKey, timeLeft?: number): PortResult<Creation | null>;

  /** Forgets up to `limit` (1 to 100) creations of the account, and returns how many: fewer only if none are left. */
  forget(account: AccountId, limit: number, timeLeft?: number): PortResult<number>;
};
