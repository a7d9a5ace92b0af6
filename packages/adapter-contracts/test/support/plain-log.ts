import { memoryStore } from "@postern/adapter-memory";
import { compareIds, LoggedMessage, ok, type Store } from "@postern/core";
import { type AliasKey, pageOf } from "@postern/core/store";
import { inTime } from "./intercepted.ts";

/** How a store treats the log. Whatever is not overridden is correct. */
type Rules = {
  readonly replaces: (message: LoggedMessage, stored: LoggedMessage) => boolean;
  /** Messages with the same key are one. */
  readonly keyOf: (message: LoggedMessage) => string;
  /** Whether an alias that does not exist has no log, whatever is stored. */
  readonly needsAlias: boolean;
  /** What is stored when a message is saved, and returned when it is read. */
  readonly copyOf: (message: LoggedMessage) => LoggedMessage;
  /** How many messages are erased with their alias, at most. */
  readonly erased: number;
};

const RIGHT: Rules = {
  replaces: ({ revision }, stored) => revision > stored.revision,
  keyOf: (message) => JSON.stringify([message.account, message.alias, LoggedMessage.position(message)]),
  needsAlias: true,
  copyOf: (message) => structuredClone(message),
  erased: Number.POSITIVE_INFINITY,
};

/** A store that keeps all logs in one list; `flaw` overrides how. */
export const plainLog = (flaw: Partial<Rules> = {}): Store => {
  const { replaces, keyOf, needsAlias, copyOf, erased } = { ...RIGHT, ...flaw };
  const store = memoryStore();
  const all = new Map<string, LoggedMessage>();

  const logOf = async ({ account, id }: AliasKey): Promise<readonly LoggedMessage[]> => {
    const found = await store.aliases.findWithRecipients(account, id, []);
    const exists = found.isOk() && found.value.alias !== null;
    const log = [...all.values()].filter((message) => message.account === account && message.alias === id);
    return needsAlias && !exists ? [] : log.map(copyOf);
  };

  return inTime({
    ...store,
    aliases: {
      ...store.aliases,
      erase: async (alias) => {
        const result = await store.aliases.erase(alias);
        if (result.isErr()) return result;
        const log = [...all].filter(
          ([, { account, alias: id }]) => account === alias.account && id === alias.id,
        );
        for (const [key] of log.slice(0, erased)) all.delete(key);
        return result;
      },
    },
    messageLog: {
      save: async (message) => {
        const stored = all.get(keyOf(message));
        if (stored === undefined || replaces(message, stored)) all.set(keyOf(message), copyOf(message));
        return ok();
      },
      find: async (alias, position) => {
        const log = await logOf(alias);
        return ok(log.find((message) => LoggedMessage.position(message) === position) ?? null);
      },
      list: async (alias, { limit, after }) => {
        const rest = (await logOf(alias))
          .filter((message) => after === null || compareIds(LoggedMessage.position(message), after) < 0)
          .sort((a, b) => compareIds(LoggedMessage.position(b), LoggedMessage.position(a)));
        return ok(pageOf(rest, limit, LoggedMessage.position));
      },
    },
  });
};
