import type { PortResult } from "../ports/port-result.ts";
import type { AccountId } from "../values/identifiers.ts";

/**
 * The accounts that the operator has suspended. A store only remembers them: the operations decide what a suspended account must not do, so
 * all other ports treat it like any other account.
 */
export type Suspensions = {
  /**
   * When the account's suspension began, in epoch milliseconds; null if it is not suspended. Sees every write that
   * completed before the call.
   */
  find(account: AccountId, timeLeft?: number): PortResult<number | null>;

  /** Suspends the account as of `at`, in epoch milliseconds; if it is already suspended, as of the earlier of the two times. */
  suspend(account: AccountId, at: number, timeLeft?: number): PortResult<void>;

  /** Ends the suspension, and leaves nothing stored about it. Idempotent. */
  resume(account: AccountId, timeLeft?: number): PortResult<void>;
};
