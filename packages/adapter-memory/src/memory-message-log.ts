import { type AccountId, compareIds, LoggedMessage, ok } from "@postern/core";
import {
  type AliasKey,
  frozen,
  LogLimits,
  type MessageLog,
  type MessagePosition,
  pageBy,
} from "@postern/core/store";
import { noTimeLeft } from "./no-time-left.ts";
import { placeOf } from "./place-of.ts";

type Log = Map<MessagePosition, LoggedMessage>;

/** @param hasAlias whether the alias exists */
export const memoryMessageLog = (
  hasAlias: (alias: AliasKey) => boolean,
): { readonly messageLog: MessageLog; readonly forget: (alias: AliasKey) => void } => {
  const byAlias = new Map<string, Log>();
  const logOf = (alias: AliasKey): Log => byAlias.get(placeOf(alias)) ?? new Map();
  const logsOf = (account: AccountId): readonly Log[] =>
    [...byAlias.values()].filter((log) => log.values().next().value?.account === account);

  /** Removes the oldest messages of the logs beyond a limit. */
  const keepNewest = (logs: readonly Log[], limit: number): void => {
    if (limit === 0) return;
    const all = logs.flatMap((log) => [...log.keys()].map((position) => ({ log, position })));
    if (all.length <= limit) return;
    all.sort((a, b) => compareIds(b.position, a.position));
    for (const { log, position } of all.slice(limit)) log.delete(position);
  };

  return {
    forget: (alias) => byAlias.delete(placeOf(alias)),

    messageLog: {
      save: async (message, limits, timeLeft) => {
        const late = noTimeLeft(timeLeft);
        if (late !== null) return late;
        const alias = { account: message.account, id: message.alias };
        if (!hasAlias(alias)) return ok();
        const log = logOf(alias);
        const position = LoggedMessage.position(message);
        if ((log.get(position)?.revision ?? 0) >= message.revision) return ok();
        log.set(position, frozen(message));
        byAlias.set(placeOf(alias), log);
        if (!LogLimits.isDue(message.id, limits)) return ok();
        keepNewest([log], limits.loggedMessagesOfAlias);
        keepNewest(logsOf(message.account), limits.loggedMessages);
        return ok();
      },

      find: async (alias, position, timeLeft) =>
        noTimeLeft(timeLeft) ?? ok(logOf(alias).get(position) ?? null),

      list: async (alias, page, timeLeft) =>
        noTimeLeft(timeLeft) ?? ok(pageBy(logOf(alias).values(), LoggedMessage.position, page)),
    },
  };
};
