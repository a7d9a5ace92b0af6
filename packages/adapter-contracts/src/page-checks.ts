import {
  AccountId,
  type Alias,
  AliasFilter,
  AliasId,
  compareIds,
  type Page,
  type Recipient,
  type Store,
} from "@postern/core";
import { KEY_LIKE_IDS } from "@postern/core/testing";
import * as fc from "fast-check";
import { expect } from "vitest";
import type { Check } from "./contract.ts";
import { keepAlias, keepRecipient, keepRecipients, LIVE, NOW, newAccount, newAlias } from "./samples.ts";

type Listed<T, Id> = (request: { limit: number; after: Id | null }) => Promise<Page<T, Id>>;

/** Every item of every page. */
const walk = async <T, Id>(list: Listed<T, Id>, limit: number): Promise<T[]> => {
  const all: T[] = [];
  let after: Id | null = null;
  do {
    const page: Page<T, Id> = await list({ limit, after });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    all.push(...page.items);
    after = page.next;
  } while (after !== null);
  return all;
};

const aliasesOf =
  (store: Store, account: Alias["account"]): Listed<Alias, AliasId> =>
  async (request) =>
    (await store.aliases.list(account, request, LIVE))._unsafeUnwrap();

const recipientsOf =
  (store: Store, account: Recipient["account"]): Listed<Recipient, Recipient["id"]> =>
  async (request) =>
    (await store.recipients.list(account, request))._unsafeUnwrap();

const newestFirst = <T extends { readonly id: string }>(items: readonly T[]): T[] =>
  [...items].sort((a, b) => compareIds(b.id, a.id));

export const pageChecks: readonly Check[] = [
  {
    name: "an empty account has one empty page",
    run: async (store) => {
      const account = newAccount();
      expect(await aliasesOf(store, account)({ limit: 1, after: null })).toEqual({ items: [], next: null });
      expect(await recipientsOf(store, account)({ limit: 1, after: null })).toEqual({
        items: [],
        next: null,
      });
    },
  },
  {
    name: "the pages of any size hold everything once, newest first",
    run: async (store) => {
      const account = newAccount();
      const recipients = await keepRecipients(store, account, 12);
      const aliases: Alias[] = [];
      for (const recipient of recipients) aliases.push(await keepAlias(store, account, [recipient]));
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 14 }), async (limit) => {
          expect(await walk(aliasesOf(store, account), limit)).toEqual(newestFirst(aliases));
          const held = recipients.map((recipient) => ({ ...recipient, attached: 1 }));
          expect(await walk(recipientsOf(store, account), limit)).toEqual(newestFirst(held));
        }),
        { numRuns: 14 },
      );
    },
  },
  {
    name: "ids of any script are listed by code point",
    run: async (store) => {
      const account = newAccount();
      const recipient = await keepRecipient(store, account);
      for (const id of KEY_LIKE_IDS) {
        const alias = newAlias(account, [recipient], { id: AliasId.parse(id) });
        expect(await store.aliases.create(alias)).toHaveProperty("value");
      }
      const listed = await walk(aliasesOf(store, account), 3);
      expect(listed.map(({ id }) => id)).toEqual([...KEY_LIKE_IDS].sort(compareIds).reverse());
    },
  },
  {
    name: "a walk goes on from where it was though that item has gone, and shows the others once",
    run: async (store) => {
      const account = newAccount();
      const recipient = await keepRecipient(store, account);
      const aliases: Alias[] = [];
      for (let i = 0; i < 9; i += 1) aliases.push(await keepAlias(store, account, [recipient]));
      const first = await aliasesOf(store, account)({ limit: 3, after: null });
      const last = first.items.at(-1);
      if (last === undefined || first.next === null) throw new Error("nine aliases are three pages");
      expect(await store.aliases.save(last, { ...last, deletedAt: NOW, version: 2 })).toHaveProperty("value");
      await keepAlias(store, account, [recipient]);
      const rest = await aliasesOf(store, account)({ limit: 100, after: first.next });
      expect(rest).toEqual({ items: newestFirst(aliases).slice(3), next: null });
    },
  },
  {
    name: "deleted aliases are not listed",
    run: async (store) => {
      const account = newAccount();
      const recipient = await keepRecipient(store, account);
      const kept: Alias[] = [];
      for (let i = 0; i < 12; i += 1) {
        const alias = await keepAlias(store, account, [recipient]);
        if (i % 4 === 0) kept.push(alias);
        else
          expect(await store.aliases.save(alias, { ...alias, deletedAt: NOW, version: 2 })).toHaveProperty(
            "value",
          );
      }
      expect(await walk(aliasesOf(store, account), 2)).toEqual(newestFirst(kept));
    },
  },
  {
    name: "a filtered list shows exactly the aliases that match, newest first, in pages of any size",
    run: async (store) => {
      const account = newAccount();
      const [recipient, other] = [await keepRecipient(store, account), await keepRecipient(store, account)];
      const kept: Alias[] = [];
      for (const description of ["Shop: news", "shopping list", "NEWSLETTER", "", "Straße №1", "ﬁne"]) {
        for (const [active, deleted] of [
          [true, false],
          [false, false],
          [true, true],
        ] as const) {
          const wanted = newAlias(account, active ? [recipient, other] : [other], { description, active });
          (await store.aliases.create(wanted))._unsafeUnwrap();
          const alias = deleted ? { ...wanted, deletedAt: NOW, version: 2 } : wanted;
          if (deleted) (await store.aliases.save(wanted, alias))._unsafeUnwrap();
          kept.push(alias);
        }
      }
      const addresses = kept.map(({ email }) => email.slice(0, -8).toUpperCase());
      const filters = fc.record(
        {
          deleted: fc.boolean(),
          active: fc.boolean(),
          q: fc.constantFrom(
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
            ...addresses,
          ),
          recipient: fc.constantFrom(recipient.id, other.id),
        },
        { requiredKeys: ["deleted"] },
      );
      await fc.assert(
        fc.asyncProperty(filters, fc.integer({ min: 1, max: 20 }), async (filter, limit) => {
          const listed: Alias[] = [];
          let after: AliasId | null = null;
          do {
            const page: Page<Alias, AliasId> = (
              await store.aliases.list(account, { limit, after }, filter)
            )._unsafeUnwrap();
            expect(page.items.length).toBeLessThanOrEqual(limit);
            listed.push(...page.items);
            after = page.next;
          } while (after !== null);
          expect(listed).toEqual(newestFirst(kept.filter((alias) => AliasFilter.matches(alias, filter))));
        }),
        { numRuns: 60 },
      );
    },
  },
  {
    name: "every account that keeps anything is found once",
    run: async (store) => {
      const kept = new Set<AccountId>(KEY_LIKE_IDS.map((id) => AccountId.parse(id)));
      for (let i = 0; i < 5; i += 1) kept.add(newAccount());
      for (const account of kept) {
        const [first] = await keepRecipients(store, account, 3);
        if (first !== undefined) await keepAlias(store, account, [first]);
      }
      for (const limit of [1, 4, 100]) {
        const walked = await walk<AccountId, AccountId>(
          async (request) => (await store.accounts(request))._unsafeUnwrap(),
          limit,
        );
        expect(walked).toHaveLength(kept.size);
        expect(new Set(walked)).toEqual(kept);
      }
    },
  },
];
