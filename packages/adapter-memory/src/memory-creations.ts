import { type AccountId, ok } from "@postern/core";
import { type Creation, type Creations, frozen, type LedgerKey } from "@postern/core/store";
import { noTimeLeft } from "./no-time-left.ts";

export type MemoryCreations = {
  readonly creations: Creations;
  /** Whether something was already created with the account and key of `creation`, and is not forgotten by then. */
  isRepeated(creation: Creation | undefined): boolean;
  add(creation: Creation | undefined): void;
};

export const memoryCreations = (): MemoryCreations => {
  const byAccount = new Map<AccountId, Map<LedgerKey, Creation>>();
  const ofAccount = (account: AccountId): Map<LedgerKey, Creation> => byAccount.get(account) ?? new Map();
  const isOver = (stored: Creation, at: number): boolean => stored.expiresAt <= at;

  return {
    creations: {
      find: async (account, key, timeLeft) => noTimeLeft(timeLeft) ?? ok(ofAccount(account).get(key) ?? null),

      forget: async (account, limit, timeLeft) => {
        const late = noTimeLeft(timeLeft);
        if (late !== null) return late;
        const own = ofAccount(account);
        const keys = [...own.keys()].slice(0, limit);
        for (const key of keys) own.delete(key);
        if (own.size === 0) byAccount.delete(account);
        return ok(keys.length);
      },
    },

    isRepeated: (creation) => {
      if (creation === undefined) return false;
      const stored = ofAccount(creation.account).get(creation.key);
      return stored !== undefined && !isOver(stored, creation.at);
    },

    add: (creation) => {
      if (creation === undefined) return;
      const own = ofAccount(creation.account);
      // The oldest ones come first. One that expires early stays until those before it have expired.
      for (const [key, stored] of own) {
        if (!isOver(stored, creation.at)) break;
        own.delete(key);
      }
      own.delete(creation.key);
      byAccount.set(creation.account, own.set(creation.key, frozen(creation)));
    },
  };
};
