import { ok } from "@postern/core";
import type { Suspensions } from "@postern/core/store";
import type { Database } from "./database.ts";

export const sqliteSuspensions = ({ sql, attempt, transact, erase }: Database): Suspensions => ({
  find: (account, timeLeft) =>
    attempt(account, timeLeft, () => {
      const found = sql("SELECT since FROM suspensions WHERE account = ?").get(account);
      return ok(found === undefined ? null : Number(found["since"]));
    }),

  suspend: (account, at, timeLeft) =>
    transact(account, timeLeft, () => {
      sql(`
        INSERT INTO suspensions VALUES (?, ?)
        ON CONFLICT DO UPDATE SET since = excluded.since WHERE excluded.since < since`).run(account, at);
      return ok();
    }),

  // Nothing may remain of an erased account, not even in the write-ahead log.
  resume: (account, timeLeft) =>
    erase(account, timeLeft, () => {
      sql("DELETE FROM suspensions WHERE account = ?").run(account);
      return ok();
    }),
});
