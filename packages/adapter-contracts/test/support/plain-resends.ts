import { memoryStore } from "@postern/adapter-memory";
import { ok, type Store } from "@postern/core";
import type { Resend } from "@postern/core/store";
import { inTime } from "./intercepted.ts";

/** How a store treats requests to send messages again. Whatever is not overridden is correct. */
type Rules = {
  readonly keyOf: (resend: Resend) => string;
  readonly replaces: (resend: Resend, stored: Resend) => boolean;
  readonly isFinished: (stored: Resend, resend: Resend) => boolean;
  readonly copyOf: (resend: Resend) => Resend;
};

const RIGHT: Rules = {
  keyOf: ({ spool, account, alias, message }) => JSON.stringify([spool, account, alias, message]),
  replaces: ({ at }, stored) => at > stored.at,
  isFinished: (stored, { at }) => stored.at === at,
  copyOf: (resend) => structuredClone(resend),
};

/** A store that keeps all requests in one list; `flaw` overrides how. */
export const plainResends = (flaw: Partial<Rules> = {}, store: Store = memoryStore()): Store => {
  const { keyOf, replaces, isFinished, copyOf } = { ...RIGHT, ...flaw };
  const all = new Map<string, Resend>();
  return inTime({
    ...store,
    resends: {
      request: async (resend) => {
        const stored = all.get(keyOf(resend));
        if (stored === undefined || replaces(resend, stored)) all.set(keyOf(resend), copyOf(resend));
        return ok();
      },
      list: async (spool, limit) => {
        const own = [...all.values()].filter((resend) => resend.spool === spool);
        return ok(own.slice(0, limit).map(copyOf));
      },
      finish: async (resend) => {
        const stored = all.get(keyOf(resend));
        if (stored !== undefined && isFinished(stored, resend)) all.delete(keyOf(resend));
        return ok();
      },
    },
  });
};
