import type { Conflict, TooManyApiKeys } from "../errors.ts";
import type { PortResult } from "../ports/port-result.ts";
import type { AccountId, ApiKeyId } from "../values/identifiers.ts";
import type { LedgerKey } from "../values/ledger-key.ts";
import type { ApiKey, ApiKeyReference, LastUse } from "./api-key.ts";

/** The API keys of the accounts. */
export type ApiKeys = {
  /**
   * Stores a new key. `conflict` if another key of the account has the id, or one of any account has the hash; `too_many_api_keys` if the
   * account already has `MAX_API_KEYS`. The limit is never exceeded, no matter how many calls run at once, in how many processes.
   */
  create(apiKey: ApiKey, timeLeft?: number): PortResult<void, Conflict | TooManyApiKeys>;

  /** All keys of the account, in any order. Sees every write that completed before the call. */
  list(account: AccountId, timeLeft?: number): PortResult<readonly ApiKey[]>;

  /** The key with this hash, of whichever account; null if there is none. Sees every write that completed before the call. */
  findByHash(hash: LedgerKey, timeLeft?: number): PortResult<ApiKey | null>;

  /** Replaces the last use of the key, unless that is as late or later. Does nothing if the account has no such key. */
  recordUse(apiKey: ApiKeyReference, use: LastUse, timeLeft?: number): PortResult<void>;

  /** Removes the key, if the account has it. Idempotent. */
  remove(account: AccountId, id: ApiKeyId, timeLeft?: number): PortResult<void>;
};
