import { type AccountId, ok, type Suspensions } from "@postern/core";

/** Since when each suspended account has been suspended, kept in `since`. */
export const memorySuspensions = (since: Map<AccountId, number>): Suspensions => ({
  find: async (account) => ok(since.get(account) ?? null),

  suspend: async (account, at) => {
    since.set(account, Math.min(at, since.get(account) ?? at));
    return ok();
  },

  resume: async (account) => {
    since.delete(account);
    return ok();
  },
});
