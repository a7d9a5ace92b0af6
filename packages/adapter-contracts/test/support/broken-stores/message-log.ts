import { memoryStore } from "@postern/adapter-memory";
import { LoggedMessage, ok } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { plainLog } from "../plain-log.ts";
import { type Broken, keyOf, messageLog } from "./broken.ts";

const FIELDS = "every field of a logged message is read back";
const LATEST = "the latest revision of a message is logged, in whatever order they are saved";
const AGAIN = "a revision of a message that is logged already changes nothing";
const LENT = "the message log shares no objects with its callers";
const APART = "messages that differ in alias, time or id are separate";
const ALIKE = "aliases with similar ids, of accounts with similar ids, have logs of their own";
const PAGES = "pages of any size list the log of an alias once, newest first";
const FULL = "a page of the log is full, however large its messages are";
const NO_ALIAS = "an alias that does not exist has no log, whatever is saved for it";
const KEPT = "changes to an alias do not affect its log, unless it is erased";
const ERASED = "an erased alias has no log, and an alias with its id begins with none";
const NOT_ERASED = "an alias that is not erased because of its version keeps its log";

/** The correct store, except that messages are changed before they are saved. */
const saving = (change: (message: LoggedMessage) => LoggedMessage): Broken["open"] =>
  messageLog((real) => ({ save: (message, timeLeft) => real.save(change(message), timeLeft) }));

/** How much a document store returns in one response, in characters. */
const MAX_RESPONSE = 1_000_000;

export const brokenMessageLog: readonly Broken[] = [
  {
    flaw: "logged messages lose their subjects",
    noticedBy: [FIELDS],
    open: saving((message) => ({ ...message, subject: null })),
  },
  {
    flaw: "blocked messages are logged as forwarded to nobody",
    noticedBy: [FIELDS],
    open: saving((message) => ({ ...message, blocked: null })),
  },
  {
    flaw: "the copies of a logged message are sorted by address",
    noticedBy: [FIELDS],
    open: saving((message) => ({
      ...message,
      copies: message.copies.toSorted((a, b) => (a.to.toLowerCase() < b.to.toLowerCase() ? -1 : 1)),
    })),
  },
  {
    flaw: "the reasons of copies are not logged",
    noticedBy: [FIELDS],
    open: saving((message) => ({
      ...message,
      copies: message.copies.map((copy) => ({ ...copy, reason: null })),
    })),
  },
  {
    flaw: "it is not logged where the body of a message is",
    noticedBy: [FIELDS],
    open: saving((message) => ({ ...message, keptBody: null })),
  },
  {
    flaw: "the revision that is saved last is logged",
    noticedBy: [LATEST, AGAIN],
    open: () => plainLog({ replaces: () => true }),
  },
  {
    flaw: "the revision that is saved first is logged",
    noticedBy: [LATEST, AGAIN, APART],
    open: () => plainLog({ replaces: () => false }),
  },
  {
    flaw: "a revision that is logged already is written again",
    noticedBy: [AGAIN],
    open: () => plainLog({ replaces: ({ revision }, stored) => revision >= stored.revision }),
  },
  {
    flaw: "the log shares its messages with the caller",
    noticedBy: [LENT],
    open: () => plainLog({ copyOf: (message) => message }),
  },
  {
    flaw: "the log shares the copies of its messages with the caller",
    noticedBy: [LENT],
    open: () => plainLog({ copyOf: (message) => ({ ...message }) }),
  },
  {
    flaw: "messages with the same id are one, whenever they arrived",
    noticedBy: [APART],
    open: () => plainLog({ keyOf: ({ account, alias, id }) => JSON.stringify([account, alias, id]) }),
  },
  {
    flaw: "messages that arrived at the same time are one",
    noticedBy: [APART, PAGES],
    open: () => plainLog({ keyOf: ({ account, alias, at }) => JSON.stringify([account, alias, at]) }),
  },
  {
    flaw: "a message for two aliases is logged for one of them",
    noticedBy: [APART, ALIKE],
    open: () => plainLog({ keyOf: LoggedMessage.position }),
  },
  {
    flaw: "account and alias id are joined into one key",
    noticedBy: [ALIKE],
    open: () =>
      plainLog({
        keyOf: (message) => `${message.account}#${message.alias}#${LoggedMessage.position(message)}`,
      }),
  },
  {
    flaw: "the messages of a page are listed oldest first",
    noticedBy: [PAGES],
    open: messageLog((real) => ({
      list: async (alias, page, timeLeft) =>
        (await real.list(alias, page, timeLeft)).map(({ items, next }) => ({
          items: items.toReversed(),
          next,
        })),
    })),
  },
  {
    flaw: "a full last page of messages is followed by an empty one",
    noticedBy: [PAGES],
    open: messageLog((real) => ({
      list: async (alias, page, timeLeft) =>
        (await real.list(alias, page, timeLeft)).map(({ items, next }) => {
          const last = items.at(-1);
          return { items, next: items.length === page.limit && last ? LoggedMessage.position(last) : next };
        }),
    })),
  },
  {
    flaw: "a page of messages ends when a response is full",
    noticedBy: [FULL],
    open: messageLog((real) => ({
      list: async (alias, page, timeLeft) => {
        const { items, next } = valueOf(await real.list(alias, page, timeLeft));
        let size = 0;
        const fitting = items.filter((message) => {
          size += JSON.stringify(message).length;
          return size <= MAX_RESPONSE;
        });
        const last = fitting.at(-1);
        return ok({
          items: fitting,
          next: fitting.length < items.length && last ? LoggedMessage.position(last) : next,
        });
      },
    })),
  },
  {
    flaw: "what is saved for an alias that does not exist is found",
    noticedBy: [NO_ALIAS, ERASED],
    open: () => plainLog({ needsAlias: false }),
  },
  {
    flaw: "a deleted alias has no log",
    noticedBy: [KEPT],
    open: messageLog((real, { aliases }) => ({
      list: async (alias, page, timeLeft) => {
        const found = valueOf(await aliases.findWithRecipients(alias.account, alias.id, [])).alias;
        return found?.deletedAt ? ok({ items: [], next: null }) : real.list(alias, page, timeLeft);
      },
    })),
  },
  {
    flaw: "nothing is logged for a deleted alias",
    noticedBy: [KEPT],
    open: messageLog((real, { aliases }) => ({
      save: async (message, timeLeft) => {
        const found = valueOf(await aliases.findWithRecipients(message.account, message.alias, [])).alias;
        return found?.deletedAt ? ok() : real.save(message, timeLeft);
      },
    })),
  },
  {
    flaw: "an alias with the id of an erased one has its log",
    noticedBy: [ERASED],
    open: () => plainLog({ erased: 0 }),
  },
  {
    flaw: "a long log is not erased completely",
    noticedBy: [ERASED],
    open: () => plainLog({ erased: 198 }),
  },
  {
    flaw: "the log of an alias is erased even if the alias is not",
    noticedBy: [NOT_ERASED],
    open: () => {
      const store = memoryStore();
      const gone = new Set<string>();
      return {
        ...store,
        aliases: {
          ...store.aliases,
          erase: (alias, timeLeft) => {
            gone.add(keyOf(alias));
            return store.aliases.erase(alias, timeLeft);
          },
        },
        messageLog: {
          ...store.messageLog,
          list: async (alias, page, timeLeft) =>
            gone.has(keyOf(alias))
              ? ok({ items: [], next: null })
              : store.messageLog.list(alias, page, timeLeft),
        },
      };
    },
  },
];
