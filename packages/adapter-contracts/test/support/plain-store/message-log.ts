import { compareIds, LoggedMessage, ok } from "@postern/core";
import type { AliasKey, LogLimits, MessageLog, Resend, Resends } from "@postern/core/store";
import { pageOfAll } from "../stored.ts";
import type { Write } from "./facts.ts";

/** How a store treats the log. Whatever is not overridden is correct. */
export type LogRules = {
  readonly replaces: (message: LoggedMessage, stored: LoggedMessage) => boolean;
  /** Messages with the same key are one. */
  readonly keyOf: (message: LoggedMessage) => string;
  /** Whether nothing is stored for an alias that does not exist. */
  readonly needsAlias: boolean;
  /** What is stored when a message is saved, and returned when it is read. */
  readonly copyOf: (message: LoggedMessage) => LoggedMessage;
  /** In which order messages go beyond a limit: negative if the first one stays longer. */
  readonly order: (a: LoggedMessage, b: LoggedMessage) => number;
  /** Which limits there are. */
  readonly limits: (limits: LogLimits) => LogLimits;
  /** How many messages are erased with their alias, at most. */
  readonly erased: number;
};

const RIGHT: LogRules = {
  replaces: ({ revision }, stored) => revision > stored.revision,
  keyOf: (message) => JSON.stringify([message.account, message.alias, LoggedMessage.position(message)]),
  needsAlias: true,
  copyOf: (message) => structuredClone(message),
  order: (a, b) => compareIds(LoggedMessage.position(b), LoggedMessage.position(a)),
  limits: (limits) => limits,
  erased: Number.POSITIVE_INFINITY,
};

export const plainLog = (
  write: Write,
  exists: (alias: AliasKey) => boolean,
  flaw: Partial<LogRules> = {},
): { readonly ports: MessageLog; forget(alias: AliasKey): void } => {
  const { replaces, keyOf, needsAlias, copyOf, order, erased, ...rules } = { ...RIGHT, ...flaw };
  const all = new Map<string, LoggedMessage>();
  const logOf = ({ account, id }: AliasKey): readonly LoggedMessage[] =>
    [...all.values()].filter((message) => message.account === account && message.alias === id);

  const keepNewest = (messages: readonly LoggedMessage[], limit: number): void => {
    if (limit === 0) return;
    for (const message of messages.toSorted(order).slice(limit)) all.delete(keyOf(message));
  };

  return {
    forget: (alias) => {
      for (const message of logOf(alias).slice(0, erased)) all.delete(keyOf(message));
    },
    ports: {
      save: (message, limits) =>
        write((fact) => {
          const alias = { account: message.account, id: message.alias };
          const isThere = fact("alias in messageLog.save", () => exists(alias));
          const stored = fact("revision in messageLog.save", () => all.get(keyOf(message)));
          return () => {
            const before = stored();
            const isNext = before === undefined || replaces(message, before);
            if (isNext && (isThere() || !needsAlias)) all.set(keyOf(message), copyOf(message));
            const { loggedMessagesOfAlias, loggedMessages } = rules.limits(limits);
            keepNewest(logOf(alias), loggedMessagesOfAlias);
            const own = [...all.values()].filter(({ account }) => account === message.account);
            keepNewest(own, loggedMessages);
            return ok();
          };
        }),

      find: async (alias, position) => {
        const found = logOf(alias).find((message) => LoggedMessage.position(message) === position);
        return ok(found === undefined ? null : copyOf(found));
      },

      list: async (alias, page) => ok(pageOfAll(logOf(alias).map(copyOf), LoggedMessage.position, page)),
    },
  };
};

/** How a store treats requests to send messages again. Whatever is not overridden is correct. */
export type ResendRules = {
  /** Requests with the same key are one. */
  readonly keyOf: (resend: Resend) => string;
  readonly replaces: (resend: Resend, stored: Resend) => boolean;
  readonly isFinished: (stored: Resend, resend: Resend) => boolean;
  readonly copyOf: (resend: Resend) => Resend;
};

const RIGHT_RESENDS: ResendRules = {
  keyOf: ({ spool, account, alias, message }) => JSON.stringify([spool, account, alias, message]),
  replaces: ({ at }, stored) => at > stored.at,
  isFinished: (stored, { at }) => stored.at === at,
  copyOf: (resend) => structuredClone(resend),
};

export const plainResends = (write: Write, flaw: Partial<ResendRules> = {}): Resends => {
  const { keyOf, replaces, isFinished, copyOf } = { ...RIGHT_RESENDS, ...flaw };
  const all = new Map<string, Resend>();
  return {
    request: (resend) =>
      write((fact) => {
        const stored = fact("time in resends.request", () => all.get(keyOf(resend)));
        return () => {
          const before = stored();
          if (before === undefined || replaces(resend, before)) all.set(keyOf(resend), copyOf(resend));
          return ok();
        };
      }),

    list: async (spool, limit) => {
      const own = [...all.values()].filter((resend) => resend.spool === spool);
      return ok(own.slice(0, limit).map(copyOf));
    },

    finish: (resend) =>
      write((fact) => {
        const stored = fact("time in resends.finish", () => all.get(keyOf(resend)));
        return () => {
          const before = stored();
          if (before !== undefined && isFinished(before, resend)) all.delete(keyOf(resend));
          return ok();
        };
      }),
  };
};
