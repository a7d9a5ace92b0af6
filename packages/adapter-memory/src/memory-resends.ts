import { ok } from "@postern/core";
import { type AliasKey, frozen, type Resend, type Resends } from "@postern/core/store";
import { noTimeLeft } from "./no-time-left.ts";

const keyOf = ({ spool, account, alias, message }: Resend): string =>
  JSON.stringify([spool, account, alias, message]);

/** @param hasAlias whether the alias exists */
export const memoryResends = (
  hasAlias: (alias: AliasKey) => boolean,
): { readonly resends: Resends; readonly forget: (alias: AliasKey) => void } => {
  const requested = new Map<string, Resend>();
  return {
    forget: ({ account, id }) => {
      for (const [key, resend] of requested)
        if (resend.account === account && resend.alias === id) requested.delete(key);
    },

    resends: {
      request: async (resend, timeLeft) => {
        const late = noTimeLeft(timeLeft);
        if (late !== null) return late;
        const key = keyOf(resend);
        const isLatest = (requested.get(key)?.at ?? 0) <= resend.at;
        if (isLatest && hasAlias({ account: resend.account, id: resend.alias })) {
          requested.set(key, frozen({ ...resend }));
        }
        return ok();
      },

      list: async (spool, limit, timeLeft) =>
        noTimeLeft(timeLeft) ??
        ok([...requested.values()].filter((resend) => resend.spool === spool).slice(0, limit)),

      finish: async (resend, timeLeft) => {
        const late = noTimeLeft(timeLeft);
        if (late !== null) return late;
        const key = keyOf(resend);
        if (requested.get(key)?.at === resend.at) requested.delete(key);
        return ok();
      },
    },
  };
};
