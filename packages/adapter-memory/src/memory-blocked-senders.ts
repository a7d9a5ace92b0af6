import { type AccountId, type BlockedSender, err, ok, Sender } from "@postern/core";
import { type BlockedSenders, pageBy } from "@postern/core/store";
import { frozenRecord } from "./frozen.ts";
import { noTimeLeft } from "./no-time-left.ts";

/** The blocked senders of each account that has any, by `Sender.key`, kept in `byAccount`. */
export const memoryBlockedSenders = (
  byAccount: Map<AccountId, Map<string, BlockedSender>>,
): BlockedSenders => {
  const ofAccount = (account: AccountId): Map<string, BlockedSender> => byAccount.get(account) ?? new Map();

  return {
    block: async (blocked, { blockedSenders: limit }, timeLeft) => {
      const late = noTimeLeft(timeLeft);
      if (late !== null) return late;
      const own = ofAccount(blocked.account);
      const key = Sender.key(blocked.sender);
      const stored = own.get(key);
      if (stored !== undefined) return ok({ blocked: stored, isNew: false });
      if ([...own.values()].some(({ id }) => id === blocked.id)) return err({ code: "conflict" });
      if (limit > 0 && own.size >= limit) return err({ code: "too_many_blocked_senders", limit });
      const added = frozenRecord(blocked);
      byAccount.set(blocked.account, own.set(key, added));
      return ok({ blocked: added, isNew: true });
    },

    unblock: async (account, id, timeLeft) => {
      const late = noTimeLeft(timeLeft);
      if (late !== null) return late;
      const own = ofAccount(account);
      for (const [key, blocked] of own) if (blocked.id === id) own.delete(key);
      if (own.size === 0) byAccount.delete(account);
      return ok();
    },

    list: async (account, page, timeLeft) =>
      noTimeLeft(timeLeft) ?? ok(pageBy(ofAccount(account).values(), ({ id }) => id, page)),
  };
};
