import { type AccountId, type ApiKey, type ApiKeyId, err, MAX_API_KEYS, ok } from "@postern/core";
import { type ApiKeys, frozen } from "@postern/core/store";
import { noTimeLeft } from "./no-time-left.ts";

/** The API keys of each account that has any, kept in `byAccount`. */
export const memoryApiKeys = (byAccount: Map<AccountId, Map<ApiKeyId, ApiKey>>): ApiKeys => {
  const byHash = new Map<string, ApiKey>();
  const ofAccount = (account: AccountId): Map<ApiKeyId, ApiKey> => byAccount.get(account) ?? new Map();

  const put = (apiKey: ApiKey): void => {
    const stored = frozen(apiKey);
    byAccount.set(apiKey.account, ofAccount(apiKey.account).set(apiKey.id, stored));
    byHash.set(apiKey.hash, stored);
  };

  return {
    create: async (apiKey, timeLeft) => {
      const late = noTimeLeft(timeLeft);
      if (late !== null) return late;
      const own = ofAccount(apiKey.account);
      if (own.has(apiKey.id) || byHash.has(apiKey.hash)) return err({ code: "conflict" });
      if (own.size >= MAX_API_KEYS) return err({ code: "too_many_api_keys", limit: MAX_API_KEYS });
      put(apiKey);
      return ok();
    },

    list: async (account, timeLeft) => noTimeLeft(timeLeft) ?? ok([...ofAccount(account).values()]),

    findByHash: async (hash, timeLeft) => noTimeLeft(timeLeft) ?? ok(byHash.get(hash) ?? null),

    recordUse: async ({ account, id }, use, timeLeft) => {
      const late = noTimeLeft(timeLeft);
      if (late !== null) return late;
      const stored = ofAccount(account).get(id);
      if (stored !== undefined && (stored.lastUse === null || stored.lastUse.at < use.at)) {
        put({ ...stored, lastUse: use });
      }
      return ok();
    },

    remove: async (account, id, timeLeft) => {
      const late = noTimeLeft(timeLeft);
      if (late !== null) return late;
      const own = ofAccount(account);
      const stored = own.get(id);
      if (stored === undefined) return ok();
      own.delete(id);
      byHash.delete(stored.hash);
      if (own.size === 0) byAccount.delete(account);
      return ok();
    },
  };
};
