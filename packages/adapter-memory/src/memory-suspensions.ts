import { type AccountId, ok } from "@postern/core";
import type { Suspensions } from "@postern/core/store";
import { noTimeLeft } from "./no-time-left.ts";

/** Since when each suspended account has been suspended, kept in `since`. */
export const memorySuspensions = (since: Map<AccountId, number>): Suspensions => ({
  find: async (account, timeLeft) => noTimeLeft(timeLeft) ?? ok(since.get(account) ?? null),

  suspend: async (account, at, timeLeft) => {
    const late = noTimeLeft(timeLeft);
    if (late !== null) return late;
    since.set(account, Math.min(at, since.get(account) ?? at));
    return ok();
  },

  resume: async (account, timeLeft) => {
    const late = noTimeLeft(timeLeft);
    if (late !== null) return late;
    since.delete(account);
    return ok();
  },
});
