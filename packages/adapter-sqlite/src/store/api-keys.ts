import { err, MAX_API_KEYS, ok } from "@postern/core";
import type { ApiKeys } from "@postern/core/store";
import { apiKeyOf, apiKeyTable } from "./api-key-table.ts";
import type { Database } from "./database.ts";
import { exceeds } from "./limits.ts";

export const sqliteApiKeys = (database: Database): ApiKeys => {
  const { sql, attempt, transact, erase } = database;
  return {
    create: (apiKey, timeLeft) =>
      transact(apiKey.account, timeLeft, () => {
        const { changes } = sql(apiKeyTable.insert).run(apiKeyTable.inserted(apiKey));
        if (changes === 0) return err({ code: "conflict" });
        return exceeds(database, apiKey.account, "apiKeys", MAX_API_KEYS)
          ? err({ code: "too_many_api_keys", limit: MAX_API_KEYS })
          : ok();
      }),

    list: (account, timeLeft) =>
      attempt(account, timeLeft, () =>
        ok(sql("SELECT * FROM api_keys WHERE account = ?").all(account).map(apiKeyOf)),
      ),

    findByHash: (hash, timeLeft) =>
      attempt(null, timeLeft, () => {
        const found = sql("SELECT * FROM api_keys WHERE hash = ?").get(hash);
        return ok(found === undefined ? null : apiKeyOf(found));
      }),

    recordUse: ({ account, id }, { at, by }, timeLeft) =>
      transact(account, timeLeft, () => {
        sql(`
          UPDATE api_keys SET last_used_at = :at, last_used_by = :by
          WHERE account = :account AND id = :id AND (last_used_at IS NULL OR last_used_at < :at)`).run({
          account,
          id,
          at,
          by,
        });
        return ok();
      }),

    remove: (account, id, timeLeft) =>
      erase(account, timeLeft, () => {
        sql("DELETE FROM api_keys WHERE account = ? AND id = ?").run(account, id);
        return ok();
      }),
  };
};
