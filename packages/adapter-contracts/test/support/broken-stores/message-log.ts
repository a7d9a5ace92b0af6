import { setImmediate } from "node:timers/promises";
import { LoggedMessage, NO_LIMITS } from "@postern/core";
import { answering, before, changingFirst, ignoringIf, listing } from "../faults.ts";
import { plainStore } from "../plain-store/index.ts";
import type { LogRules } from "../plain-store/message-log.ts";
import { keyOf, storedAlias } from "../stored.ts";
import { type Broken, endingWithEmptyPage, flaw, flawOf, listingUnlessDeleted } from "./broken.ts";

const FIELDS = "every field of a logged message is read back";
const LATEST = "the latest revision of a message is logged, in whatever order they are saved";
const AGAIN = "a revision of a message that is logged already changes nothing";
const LENT = "the message log shares no objects with its callers";
const APART = "messages that differ in alias, time or id are separate";
const ALIKE = "aliases with similar ids, of accounts with similar ids, have logs of their own";
const PAGES = "pages of any size list the log of an alias once, newest first";
const FULL = "a page of the log is full, however large its messages are";
const NEWEST = "an alias keeps its newest messages, as many as it may have, and any revision of them";
const OF_ACCOUNT = "an account keeps the newest messages of all its aliases, as many as it may have";
const MANY = "after many messages that are logged at once, the next one keeps to the limits";
const NO_ALIAS = "an alias that does not exist has no log, whatever is saved for it";
const KEPT = "changes to an alias do not affect its log, unless it is erased";
const ERASED = "an erased alias has no log, and an alias with its id begins with none";
const NOT_ERASED = "an alias that is not erased because of its version keeps its log";

/** How much a document store returns in one response, in characters. */
const MAX_RESPONSE = 1_000_000;

const stored = (flawed: string, change: (message: LoggedMessage) => LoggedMessage): Broken =>
  flaw(flawed, [FIELDS], { "messageLog.save": changingFirst(change) });

const plain = flawOf((messageLog?: Partial<LogRules>) => plainStore({ messageLog }));

export const brokenMessageLog: readonly Broken[] = [
  stored("logged messages lose their subjects", (message) => ({ ...message, subject: null })),
  stored("blocked messages are logged as forwarded to nobody", (message) => ({ ...message, blocked: null })),
  stored("it is not logged from which list a message unsubscribes", (message) => ({
    ...message,
    unsubscribesFrom: null,
  })),
  stored("the copies of a logged message are sorted by address", (message) => ({
    ...message,
    copies: message.copies.toSorted((a, b) => (a.to.toLowerCase() < b.to.toLowerCase() ? -1 : 1)),
  })),
  stored("the reasons of copies are not logged", (message) => ({
    ...message,
    copies: message.copies.map((copy) => ({ ...copy, reason: null })),
  })),
  stored("a logged message always stands for one", (message) => ({ ...message, count: 1 })),
  stored("it is not logged where the body of a message is", (message) => ({ ...message, keptBody: null })),
  plain("the revision that is saved last is logged", [LATEST, AGAIN], { replaces: () => true }),
  plain("the revision that is saved first is logged", [LATEST, AGAIN, APART], { replaces: () => false }),
  plain("a revision that is logged already is written again", [AGAIN], {
    replaces: ({ revision }, stored) => revision >= stored.revision,
  }),
  plain("the log shares its messages with the caller", [LENT], { copyOf: (message) => message }),
  plain("the log shares the copies of its messages with the caller", [LENT], {
    copyOf: (message) => ({ ...message }),
  }),
  plain("messages with the same id are one, whenever they arrived", [APART], {
    keyOf: ({ account, alias, id }) => JSON.stringify([account, alias, id]),
  }),
  plain("messages that arrived at the same time are one", [APART, PAGES], {
    keyOf: ({ account, alias, at }) => JSON.stringify([account, alias, at]),
  }),
  plain("a message for two aliases is logged for one of them", [APART, ALIKE], {
    keyOf: LoggedMessage.position,
  }),
  plain("account and alias id are joined into one key", [ALIKE], {
    keyOf: (message) => `${message.account}#${message.alias}#${LoggedMessage.position(message)}`,
  }),
  flaw("the messages of a page are listed oldest first", [PAGES], {
    "messageLog.list": listing((items) => items.toReversed()),
  }),
  flaw("a full last page of messages is followed by an empty one", [PAGES], {
    "messageLog.list": endingWithEmptyPage(LoggedMessage.position),
  }),
  flaw("a page of messages ends when a response is full", [FULL], {
    "messageLog.list": answering(({ items, next }) => {
      let size = 0;
      const fitting = items.filter((message) => {
        size += JSON.stringify(message).length;
        return size <= MAX_RESPONSE;
      });
      const last = fitting.at(-1);
      return { items: fitting, next: size > MAX_RESPONSE && last ? LoggedMessage.position(last) : next };
    }),
  }),
  plain("an alias keeps any number of messages", [NEWEST, OF_ACCOUNT, MANY], {
    limits: (limits) => ({ ...limits, loggedMessagesOfAlias: 0 }),
  }),
  plain("an account keeps any number of messages", [OF_ACCOUNT], {
    limits: (limits) => ({ ...limits, loggedMessages: 0 }),
  }),
  plain("an alias keeps as many messages as an account", [OF_ACCOUNT], {
    limits: ({ loggedMessages }) => ({ loggedMessagesOfAlias: loggedMessages, loggedMessages }),
  }),
  plain("the oldest messages of an alias stay", [NEWEST, OF_ACCOUNT, MANY], { order: (a, b) => a.at - b.at }),
  flaw("what was logged at once beyond the limit stays", [MANY], ({ messageLog }) => {
    let saving = 0;
    let most = 0;
    return {
      "messageLog.save": async (save, message, limits) => {
        saving += 1;
        most = Math.max(most, saving);
        await setImmediate();
        const saved = await (most > 1 ? messageLog.save(message, NO_LIMITS) : save(message, limits));
        saving -= 1;
        return saved;
      },
    };
  }),
  plain("what is saved for an alias that does not exist is found", [NO_ALIAS, ERASED], { needsAlias: false }),
  flaw("a deleted alias has no log", [KEPT], (store) => ({ "messageLog.list": listingUnlessDeleted(store) })),
  flaw("nothing is logged for a deleted alias", [KEPT], (store) => ({
    "messageLog.save": ignoringIf(async ({ account, alias: id }) => {
      const alias = await storedAlias(store, { account, id });
      return alias !== null && alias.deletedAt !== null;
    }),
  })),
  plain("an alias with the id of an erased one has its log", [ERASED], { erased: 0 }),
  plain("a long log is not erased completely", [ERASED], { erased: 198 }),
  flaw("the log of an alias is erased even if the alias is not", [NOT_ERASED], (_, seen) => ({
    "aliases.erase": before((alias) => seen.add(keyOf(alias))),
    "messageLog.list": listing((items, alias) => (seen.has(keyOf(alias)) ? [] : items)),
  })),
];
