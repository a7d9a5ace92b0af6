import { compareIds, LoggedMessage, parseEmailAddress, type Store } from "@postern/core";
import type { AliasKey } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { type Check, checkOf } from "../check.ts";
import { expectEqual, expectMatch, isEqual } from "../expect.ts";
import { runs } from "../runs.ts";
import {
  ALIKE_PLACES,
  CONFLICT,
  changed,
  deleted,
  findMessage,
  logNew,
  newAccount,
  newAlias,
  newMessage,
  newRecipient,
  newSpoolId,
  revised,
  saveAlias,
  saveMessage,
  storeAlias,
  storeRecipient,
  withRecipients,
} from "../samples.ts";
import { tryToChange } from "../try-to-change.ts";
import { messagesOf, walk } from "../walk.ts";

const check = checkOf("messages");

const storeNewAlias = async (store: Store) => {
  const account = newAccount();
  return storeAlias(store, account, [await storeRecipient(store, account)]);
};

/** Throws unless these are all messages in the log of the alias, newest first, and each is found. */
const expectLog = async (
  store: Store,
  alias: AliasKey,
  messages: readonly LoggedMessage[],
): Promise<void> => {
  expectEqual(await walk(messagesOf(store, alias)), messages);
  for (const message of messages) expectEqual(await findMessage(store, message), message);
};

const address = (text: string) => valueOf(parseEmailAddress(text));

/** Two messages that differ in every field, so that no default value fits both. */
const twoMessages = (
  one: AliasKey,
  two: AliasKey,
): readonly [Required<LoggedMessage>, Required<LoggedMessage>] => {
  const [first, second] = [newMessage(one), newMessage(two)];
  const { at } = first;
  return [
    {
      id: first.id,
      account: one.account,
      alias: one.id,
      at,
      direction: "received",
      contact: address("Bob@sender.example"),
      size: 12_345,
      subject: "Größe: 漢字 🙂 \"quoted\" \\ and 'so' on",
      blocked: null,
      unsubscribesFrom: null,
      copies: [
        { to: address("Work@recipient.example"), state: "bounced", at: at + 3, reason: "mailbox_full" },
        { to: address("home@recipient.example"), state: "queued", at: at + 2, reason: "unreachable" },
        { to: address("away@recipient.example"), state: "delivered", at: at + 1, reason: null },
      ],
      keptBody: { spool: newSpoolId(), until: at + 4 },
      count: 1,
      revision: 3,
    },
    {
      id: second.id,
      account: two.account,
      alias: two.id,
      at: at + 1,
      direction: "sent",
      contact: null,
      size: null,
      subject: null,
      blocked: "sender_blocked",
      unsubscribesFrom: LoggedMessage.position(first),
      copies: [],
      keptBody: null,
      count: 3,
      revision: 1,
    },
  ];
};

/** The longest address. */
const longAddress = (n: number) => {
  const labels = ["a", "b", "c"].map((letter) => letter.repeat(60)).join(".");
  return address(`${String(n).padStart(60, "x")}@${labels}.example`);
};

export const messageLogChecks: readonly Check[] = [
  check("every field of a logged message is read back", async (store) => {
    const messages = twoMessages(await storeNewAlias(store), await storeNewAlias(store));
    const [one, two] = messages.map((message) => new Map<string, unknown>(Object.entries(message)));
    for (const [field, value] of one ?? []) {
      if (isEqual(value, two?.get(field))) throw new Error(`the samples have the same ${field}`);
    }
    for (const message of messages) {
      await saveMessage(store, message);
      await expectLog(store, { account: message.account, id: message.alias }, [message]);
    }
  }),

  check("the latest revision of a message is logged, in whatever order they are saved", async (store) => {
    const alias = await storeNewAlias(store);
    const revisions = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(revisions, async (saved) => {
        const message = newMessage(alias);
        const at = (revision: number) => ({ ...message, size: revision, revision });
        for (const [n, revision] of saved.entries()) {
          await saveMessage(store, at(revision));
          expectEqual(await findMessage(store, message), at(Math.max(...saved.slice(0, n + 1))));
        }
      }),
      runs(25),
    );
  }),

  check("a revision of a message that is logged already changes nothing", async (store) => {
    const alias = await storeNewAlias(store);
    const message = await logNew(store, alias);
    await saveMessage(store, { ...message, size: 1 });
    await expectLog(store, alias, [message]);
    const next = await saveMessage(store, revised(message, { subject: "later" }));
    await saveMessage(store, { ...next, copies: [] });
    await expectLog(store, alias, [next]);
  }),

  check("the message log shares no objects with its callers", async (store) => {
    const alias = await storeNewAlias(store);
    const message = newMessage(alias);
    const given = structuredClone(message);
    await saveMessage(store, given);
    tryToChange(given);
    tryToChange(await findMessage(store, message));
    for (const listed of await walk(messagesOf(store, alias))) tryToChange(listed);
    await expectLog(store, alias, [message]);
  }),

  check("messages that differ in alias, time or id are separate", async (store) => {
    const account = newAccount();
    const home = await storeRecipient(store, account);
    const [alias, other] = [
      await storeAlias(store, account, [home]),
      await storeAlias(store, account, [home]),
    ];
    const message = await logNew(store, alias);
    const { id, at } = message;
    const [earlier, sameTime, elsewhere] = [
      await logNew(store, alias, { id, at: at - 1 }),
      await logNew(store, alias, { at }),
      await logNew(store, other, { id, at }),
    ];
    const inOrder = (all: readonly LoggedMessage[]) =>
      all.toSorted((a, b) => compareIds(LoggedMessage.position(b), LoggedMessage.position(a)));
    await expectLog(store, alias, inOrder([message, earlier, sameTime]));
    await expectLog(store, other, [elsewhere]);
    const later = await saveMessage(store, revised(message, { size: 1 }));
    await expectLog(store, alias, inOrder([later, earlier, sameTime]));
    await expectLog(store, other, [elsewhere]);
    expectEqual(await findMessage(store, { ...message, at: at + 1 }), null);
  }),

  check("aliases with similar ids, of accounts with similar ids, have logs of their own", async (store) => {
    const { id, at } = newMessage(await storeNewAlias(store));
    const logged: LoggedMessage[] = [];
    for (const [i, place] of ALIKE_PLACES.entries()) {
      const email = address(`log-${i}@recipient.example`);
      const home = await storeRecipient(store, place.account, { email });
      const alias = await storeAlias(store, place.account, [home], { id: place.id });
      logged.push(await logNew(store, alias, { id, at, size: i }));
    }
    for (const message of logged)
      await expectLog(store, { account: message.account, id: message.alias }, [message]);
  }),

  check("pages of any size list the log of an alias once, newest first", async (store) => {
    const [alias, other] = [await storeNewAlias(store), await storeNewAlias(store)];
    await logNew(store, other);
    const messages: LoggedMessage[] = [];
    const now = Date.now();
    // Several have the same time, and the order of saving is not that of their ids.
    for (const n of [4, 1, 3, 1, 10, 0, 3, 11, 2]) {
      messages.push(await logNew(store, alias, { at: now - n * 60_000 }));
    }
    const newestFirst = messages.toSorted((a, b) => b.at - a.at || compareIds(b.id, a.id));
    const list = messagesOf(store, alias);
    for (let limit = 1; limit <= 10; limit += 1) {
      expectEqual(await walk(list, limit), newestFirst);
      const { items, next } = valueOf(await list({ limit, after: null }));
      expectEqual(
        { items, isLast: next === null },
        { items: newestFirst.slice(0, limit), isLast: limit >= 9 },
      );
    }
  }),

  check("a page of the log is full, however large its messages are", async (store) => {
    const alias = await storeNewAlias(store);
    const copies = Array.from({ length: 100 }, (_, n) => ({
      to: longAddress(n),
      state: "bounced" as const,
      at: Date.now(),
      reason: "refused_by_policy" as const,
    }));
    const messages: LoggedMessage[] = [];
    for (let n = 0; n < 40; n += 1) messages.push(await logNew(store, alias, { at: Date.now() + n, copies }));
    const page = valueOf(await store.messageLog.list(alias, { limit: 40, after: null }));
    expectEqual(
      { ids: page.items.map(({ id }) => id), next: page.next },
      {
        ids: messages.toReversed().map(({ id }) => id),
        next: null,
      },
    );
    expectEqual(page.items, messages.toReversed());
  }),

  check(
    "an alias keeps its newest messages, as many as it may have, and any revision of them",
    async (store) => {
      const account = newAccount();
      const home = await storeRecipient(store, account);
      const [alias, other] = [
        await storeAlias(store, account, [home]),
        await storeAlias(store, account, [home]),
      ];
      const limits = { loggedMessagesOfAlias: 3, loggedMessages: 0 };
      const save = async (message: LoggedMessage): Promise<void> =>
        valueOf(await store.messageLog.save(message, limits));
      const at = Date.now();
      const [one, two, three, four, five, early] = [1, 2, 3, 4, 5, 0].map((n) =>
        newMessage(alias, { at: at + n }),
      );
      if (!(one && two && three && four && five && early)) throw new Error("the samples are incomplete");
      const elsewhere = newMessage(other, { at: at - 1 });
      for (const message of [elsewhere, two, one, three]) await save(message);
      await expectLog(store, alias, [three, two, one]);
      for (const message of [four, five]) await save(message);
      await expectLog(store, alias, [five, four, three]);
      expectEqual(await findMessage(store, two), null);
      // What happens to them later is logged, but brings none of the others back.
      const later = revised(three, { size: 7 });
      for (const message of [later, revised(one), early, revised(two), two]) await save(message);
      await expectLog(store, alias, [five, four, later]);
      for (const message of [early, one, two]) expectEqual(await findMessage(store, message), null);
      await expectLog(store, other, [elsewhere]);
    },
  ),

  check("an account keeps the newest messages of all its aliases, as many as it may have", async (store) => {
    const account = newAccount();
    const home = await storeRecipient(store, account);
    const [alias, other] = [
      await storeAlias(store, account, [home]),
      await storeAlias(store, account, [home]),
    ];
    const stranger = await storeNewAlias(store);
    const limits = { loggedMessagesOfAlias: 3, loggedMessages: 4 };
    const at = Date.now();
    const save = async (place: AliasKey, n: number): Promise<LoggedMessage> => {
      const message = newMessage(place, { at: at + n });
      valueOf(await store.messageLog.save(message, limits));
      return message;
    };
    const theirs = await save(stranger, 0);
    const [a1, b2, a3, b4] = [
      await save(alias, 1),
      await save(other, 2),
      await save(alias, 3),
      await save(other, 4),
    ];
    await expectLog(store, alias, [a3, a1]);
    const a5 = await save(alias, 5);
    await expectLog(store, alias, [a5, a3]);
    await expectLog(store, other, [b4, b2]);
    const a6 = await save(alias, 6);
    await expectLog(store, alias, [a6, a5, a3]);
    await expectLog(store, other, [b4]);
    // The alias has one too many, so no other loses any.
    const a7 = await save(alias, 7);
    await expectLog(store, alias, [a7, a6, a5]);
    await expectLog(store, other, [b4]);
    const a8 = await save(alias, 8);
    await expectLog(store, alias, [a8, a7, a6]);
    await expectLog(store, other, [b4]);
    await expectLog(store, stranger, [theirs]);
  }),

  check("an alias that does not exist has no log, whatever is saved for it", async (store) => {
    const alias = await storeNewAlias(store);
    const unknown = newAlias(alias.account, [newRecipient(alias.account)]);
    for (const place of [unknown, { ...alias, account: newAccount() }]) {
      const message = await logNew(store, place);
      expectEqual(await findMessage(store, message), null);
      await expectLog(store, place, []);
    }
    await expectLog(store, alias, []);
  }),

  check("changes to an alias do not affect its log, unless it is erased", async (store) => {
    const account = newAccount();
    const [home, work] = [await storeRecipient(store, account), await storeRecipient(store, account)];
    const alias = await storeAlias(store, account, [home]);
    const message = await logNew(store, alias);
    const replaced = await saveAlias(store, alias, withRecipients(alias, [work]));
    await expectLog(store, alias, [message]);
    const gone = await saveAlias(store, replaced, deleted(replaced));
    await expectLog(store, alias, [message]);
    const later = await logNew(store, alias, { at: message.at + 1 });
    await saveAlias(store, gone, changed(gone, { deletedAt: null }));
    await expectLog(store, alias, [later, message]);
  }),

  check("an erased alias has no log, and an alias with its id begins with none", async (store) => {
    const account = newAccount();
    const home = await storeRecipient(store, account);
    const [alias, neighbor] = [
      await storeAlias(store, account, [home]),
      await storeAlias(store, account, [home]),
    ];
    const kept = await logNew(store, neighbor);
    const messages: LoggedMessage[] = [];
    for (let n = 0; n < 220; n += 1) messages.push(await logNew(store, alias, { at: Date.now() + n }));
    valueOf(await store.aliases.erase(alias));
    await expectLog(store, alias, []);
    for (const message of messages) expectEqual(await findMessage(store, message), null);
    const next = await storeAlias(store, account, [home], { id: alias.id });
    await expectLog(store, next, []);
    valueOf(await store.aliases.erase(next));
    // For a message that was forwarded after the erasure.
    const late = await logNew(store, alias);
    expectEqual(await findMessage(store, late), null);
    await expectLog(store, alias, []);
    await expectLog(store, neighbor, [kept]);
  }),

  check("an alias that is not erased because of its version keeps its log", async (store) => {
    const alias = await storeNewAlias(store);
    const message = await logNew(store, alias);
    const after = await saveAlias(store, alias, changed(alias, { description: "after" }));
    expectMatch(await store.aliases.erase(alias), CONFLICT);
    await expectLog(store, alias, [message]);
    valueOf(await store.aliases.erase(after));
    expectEqual(await findMessage(store, message), null);
  }),
];
