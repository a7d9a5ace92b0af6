import { LoggedMessage, ok } from "@postern/core";
import type { AliasKey, MessageLog, MessagePosition } from "@postern/core/store";
import { frozen } from "./frozen.ts";
import { noTimeLeft } from "./no-time-left.ts";
import { pageBy } from "./page.ts";
import { placeOf } from "./place-of.ts";

/** @param hasAlias whether the alias exists */
export const memoryMessageLog = (
  hasAlias: (alias: AliasKey) => boolean,
): { readonly messageLog: MessageLog; readonly forget: (alias: AliasKey) => void } => {
  const byAlias = new Map<string, Map<MessagePosition, LoggedMessage>>();
  const logOf = (alias: AliasKey): Map<MessagePosition, LoggedMessage> =>
    byAlias.get(placeOf(alias)) ?? new Map();

  return {
    forget: (alias) => byAlias.delete(placeOf(alias)),

    messageLog: {
      save: async (message, timeLeft) => {
        const late = noTimeLeft(timeLeft);
        if (late !== null) return late;
        const alias = { account: message.account, id: message.alias };
        if (!hasAlias(alias)) return ok();
        const log = logOf(alias);
        const position = LoggedMessage.position(message);
        if ((log.get(position)?.revision ?? 0) >= message.revision) return ok();
        log.set(position, frozen(message));
        byAlias.set(placeOf(alias), log);
        return ok();
      },

      find: async (alias, position, timeLeft) =>
        noTimeLeft(timeLeft) ?? ok(logOf(alias).get(position) ?? null),

      list: async (alias, page, timeLeft) =>
        noTimeLeft(timeLeft) ?? ok(pageBy(logOf(alias).values(), LoggedMessage.position, page)),
    },
  };
};
