import { err, ok } from "@postern/core";
import { frozen, type LedgerEntry, type LedgerKey, type MailLedger, pageBy } from "@postern/core/store";
import { noTimeLeft } from "./no-time-left.ts";

/** Entries are never removed, not even expired ones. */
export const memoryMailLedger = (): MailLedger => {
  const entries = new Map<LedgerKey, LedgerEntry>();
  return {
    find: async (keys, timeLeft) =>
      noTimeLeft(timeLeft) ?? ok([...new Set(keys)].flatMap((key) => entries.get(key) ?? [])),

    save: async (changed, timeLeft) => {
      const late = noTimeLeft(timeLeft);
      if (late !== null) return late;
      if (changed.some(({ key, version }) => (entries.get(key)?.version ?? 0) !== version - 1)) {
        return err({ code: "conflict" });
      }
      for (const entry of changed) entries.set(entry.key, frozen(entry));
      return ok();
    },

    list: async (request) => ok(pageBy(entries.values(), ({ key }) => key, request)),
  };
};
