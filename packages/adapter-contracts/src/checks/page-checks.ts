import { type AccountId, type Alias, compareIds, parseAccountId, parseAliasId } from "@postern/core";
import { AliasFilter } from "@postern/core/store";
import { KEY_LIKE_IDS, valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { type Check, check, checkOf } from "../check.ts";
import { expectEqual, expectSameItems } from "../expect.ts";
import { runs } from "../runs.ts";
import { deleted, newAccount, saveAlias, storeAlias, storeRecipient, storeRecipients } from "../samples.ts";
import { accountsOf, aliasesOf, recipientsOf, walk } from "../walk.ts";

const newestFirst = <T extends { readonly id: string }>(items: readonly T[]): T[] =>
  [...items].sort((a, b) => compareIds(b.id, a.id));

/** The second item, the fourth, and so on: each has a newer one before it, and most have an older one after it. */
const everyOther = <T>(items: readonly T[]): readonly T[] => items.filter((_, i) => i % 2 === 1);

export const pageChecks: readonly Check[] = [
  check("an account without data lists nothing", async (store) => {
    const account = newAccount();
    for (const isDeleted of [false, true]) {
      expectEqual(await walk(aliasesOf(store, account, { deleted: isDeleted }), 1), []);
    }
    expectEqual(await walk(recipientsOf(store, account), 1), []);
  }),

  check("pages of any size list everything once, newest first", async (store) => {
    const account = newAccount();
    const recipients = await storeRecipients(store, account, 12);
    const aliases: Alias[] = [];
    for (const recipient of recipients) aliases.push(await storeAlias(store, account, [recipient]));
    const attached = recipients.map((recipient) => ({ ...recipient, attached: 1 }));
    for (let limit = 1; limit <= 14; limit += 1) {
      expectEqual(await walk(aliasesOf(store, account), limit), newestFirst(aliases));
      expectEqual(await walk(recipientsOf(store, account), limit), newestFirst(attached));
    }
  }),

  check("only the last page of recipients is short, and it has no next even if it is full", async (store) => {
    const account = newAccount();
    const recipients = newestFirst(await storeRecipients(store, account, 6));
    for (let limit = 1; limit <= 7; limit += 1) {
      for (let from = 0; from < recipients.length; from += 1) {
        const after = recipients[from - 1]?.id ?? null;
        const items = recipients.slice(from, from + limit);
        const next = from + limit < recipients.length ? items.at(-1)?.id : null;
        expectEqual(valueOf(await store.recipients.list(account, { limit, after })), { items, next });
      }
    }
  }),

  check("ids in any script are listed in code point order", async (store) => {
    const account = newAccount();
    const recipient = await storeRecipient(store, account);
    for (const id of KEY_LIKE_IDS) {
      await storeAlias(store, account, [recipient], { id: valueOf(parseAliasId(id)) });
    }
    const listed = await walk(aliasesOf(store, account), 3);
    expectEqual(
      listed.map(({ id }) => id),
      [...KEY_LIKE_IDS].sort(compareIds).reverse(),
    );
  }),

  check("a page can start after an alias that is no longer listed", async (store) => {
    const account = newAccount();
    const recipient = await storeRecipient(store, account);
    const aliases: Alias[] = [];
    for (let i = 0; i < 9; i += 1) aliases.push(await storeAlias(store, account, [recipient]));
    let listed = newestFirst(aliases);
    for (const alias of everyOther(listed)) {
      const older = listed.filter(({ id }) => compareIds(id, alias.id) < 0);
      const after = await saveAlias(store, alias, deleted(alias));
      expectEqual(await walk(aliasesOf(store, account), 2, alias.id), older);
      valueOf(await store.aliases.erase(after));
      expectEqual(await walk(aliasesOf(store, account), 2, alias.id), older);
      listed = listed.filter(({ id }) => id !== alias.id);
    }
    expectEqual(await walk(aliasesOf(store, account), 2), listed);
  }),

  check("a page can start after a recipient that was removed", async (store) => {
    const account = newAccount();
    let listed = newestFirst(await storeRecipients(store, account, 9));
    for (const recipient of everyOther(listed)) {
      valueOf(await store.recipients.remove(recipient));
      const older = listed.filter(({ id }) => compareIds(id, recipient.id) < 0);
      expectEqual(await walk(recipientsOf(store, account), 2, recipient.id), older);
      listed = listed.filter(({ id }) => id !== recipient.id);
    }
    expectEqual(await walk(recipientsOf(store, account), 2), listed);
  }),

  check("an alias created during a walk does not appear on the pages that follow", async (store) => {
    const account = newAccount();
    const recipient = await storeRecipient(store, account);
    const aliases: Alias[] = [];
    for (let i = 0; i < 6; i += 1) aliases.push(await storeAlias(store, account, [recipient]));
    const list = aliasesOf(store, account);
    const { items, next } = valueOf(await list({ limit: 2, after: null }));
    await storeAlias(store, account, [recipient]);
    const rest = next === null ? [] : await walk(list, 2, next);
    expectEqual([...items, ...rest], newestFirst(aliases));
  }),

  check("deleted aliases are listed only on request", async (store) => {
    const account = newAccount();
    const recipient = await storeRecipient(store, account);
    const live: Alias[] = [];
    const gone: Alias[] = [];
    for (let i = 0; i < 12; i += 1) {
      const alias = await storeAlias(store, account, [recipient]);
      if (i % 4 === 0) live.push(alias);
      else gone.push(await saveAlias(store, alias, deleted(alias)));
    }
    expectEqual(await walk(aliasesOf(store, account, { deleted: false }), 2), newestFirst(live));
    expectEqual(await walk(aliasesOf(store, account, { deleted: true }), 2), newestFirst(gone));
  }),

  check(
    "a filtered list has exactly the aliases that match, newest first, in pages of any size",
    async (store) => {
      const account = newAccount();
      const [recipient, other] = [await storeRecipient(store, account), await storeRecipient(store, account)];
      const stored: Alias[] = [];
      for (const description of ["Shop: news", "shopping list", "NEWSLETTER", "", "Straße №1", "ﬁne"]) {
        for (const [active, isDeleted] of [
          [true, false],
          [false, false],
          [true, true],
        ] as const) {
          const recipients = active ? [recipient, other] : [other];
          const alias = await storeAlias(store, account, recipients, { description, active });
          stored.push(isDeleted ? await saveAlias(store, alias, deleted(alias)) : alias);
        }
      }
      const addresses = stored.map(({ email }) => email.slice(0, -8).toUpperCase());
      const words = [
        "shop",
        "SHOP new",
        "new",
        "straSSe",
        "fi",
        "1",
        "news shop",
        "x",
        "%",
        "_",
        "alias-",
        "ص",
      ];
      const filters = fc.record(
        {
          deleted: fc.boolean(),
          active: fc.boolean(),
          q: fc.constantFrom(...words, ...addresses),
          recipient: fc.constantFrom(recipient.id, other.id),
        },
        { requiredKeys: ["deleted"] },
      );
      await fc.assert(
        fc.asyncProperty(filters, fc.integer({ min: 1, max: 20 }), async (filter, limit) => {
          const matching = stored.filter((alias) => AliasFilter.matches(alias, filter));
          expectEqual(await walk(aliasesOf(store, account, filter), limit), newestFirst(matching));
        }),
        runs(60),
      );
    },
  ),

  check(
    "a search reads the first 500 characters of a description that is longer once normalized",
    async (store) => {
      const account = newAccount();
      const recipient = await storeRecipient(store, account);
      // Each normalizes to 18 characters. Such a description is refused now, but earlier versions stored it.
      const description = `first ${"\uFDFA".repeat(28)} last`;
      const alias = await storeAlias(store, account, [recipient], { description });
      for (const [q, found] of [
        ["FIRST", [alias]],
        ["ص", [alias]],
        ["last", []],
      ] as const) {
        expectEqual(await walk(aliasesOf(store, account, { deleted: false, q })), found);
      }
    },
  ),

  check("a search through much text loses nothing between its pages", async (store) => {
    const account = newAccount();
    const recipient = await storeRecipient(store, account);
    const hay = "hay ".repeat(124);
    const all: Alias[] = [];
    for (let i = 0; i < 90; i += 1) {
      // Matches come three in a row, with long stretches without any in between.
      const description = i % 44 > 40 ? `${hay} dle` : hay;
      all.push(await storeAlias(store, account, [recipient], { description }));
    }
    for (const q of ["hay dle", "hay", "needle"]) {
      const filter = { deleted: false, q };
      const matching = all.filter((alias) => AliasFilter.matches(alias, filter));
      for (const limit of [1, 7, 100]) {
        expectEqual(await walk(aliasesOf(store, account, filter), limit), newestFirst(matching));
      }
    }
  }),

  checkOf("accounts")("accounts lists each account that has stored data once", async (store) => {
    const stored = new Set<AccountId>(KEY_LIKE_IDS.map((id) => valueOf(parseAccountId(id))));
    for (let i = 0; i < 5; i += 1) stored.add(newAccount());
    for (const account of stored) {
      const [first] = await storeRecipients(store, account, 3);
      if (first !== undefined) await storeAlias(store, account, [first]);
    }
    for (const limit of [1, 4, 100]) {
      const listed = await walk(accountsOf(store), limit);
      expectSameItems(listed, [...stored]);
    }
  }),

  checkOf("accounts")(
    "accounts lists an account until its last alias and recipient are gone",
    async (store) => {
      const account = newAccount();
      const recipient = await storeRecipient(store, account);
      const alias = await storeAlias(store, account, [recipient]);
      const after = await saveAlias(store, alias, deleted(alias));
      valueOf(await store.recipients.remove(recipient));
      expectEqual(await walk(accountsOf(store)), [account]);
      valueOf(await store.aliases.erase(after));
      expectEqual(await walk(accountsOf(store)), []);
      const again = await storeRecipient(store, account);
      expectEqual(await walk(accountsOf(store)), [account]);
      valueOf(await store.recipients.remove(again));
      expectEqual(await walk(accountsOf(store)), []);
    },
  ),
];
