import { EmailAddress } from "@postern/core";
import * as fc from "fast-check";
import { expect } from "vitest";
import type { Check } from "./contract.ts";
import {
  attachedTo,
  deactivated,
  findAlias,
  findRecipient,
  keepAlias,
  keepRecipient,
  keepRecipients,
  NOW,
  newAccount,
  newAlias,
  newRecipient,
  withRecipients,
} from "./samples.ts";

const CONFLICT = { error: { code: "conflict" } };

export const aliasChecks: readonly Check[] = [
  {
    name: "an alias that was created is found again, whole",
    run: async (store) => {
      const account = newAccount();
      const recipients = await keepRecipients(store, account, 3);
      const alias = await keepAlias(store, account, recipients);
      expect(await findAlias(store, alias)).toEqual(alias);
      expect(await attachedTo(store, recipients)).toEqual([1, 1, 1]);
      // One with a past, as it comes from another store.
      const past = {
        active: false,
        description: "",
        tallies: { ...alias.tallies, sent: { count: 3, lastAt: NOW }, blocked: { count: 1, lastAt: 0 } },
        updatedAt: NOW + 5,
        version: 7,
      };
      for (const wanted of [past, { ...past, deletedAt: NOW + 5 }]) {
        const moved = newAlias(account, recipients, wanted);
        expect(await store.aliases.create(moved)).toHaveProperty("value");
        expect(await findAlias(store, moved)).toEqual(moved);
      }
      expect(await attachedTo(store, recipients)).toEqual([2, 2, 2]);
    },
  },
  {
    name: "an alias is found together with those of the recipients that exist, each once",
    run: async (store) => {
      const account = newAccount();
      const a = await keepRecipient(store, account);
      const b = await keepRecipient(store, account);
      const alias = await keepAlias(store, account, [a]);
      const unknown = newRecipient(account);
      const ids = [b.id, unknown.id, a.id, b.id];
      const found = (await store.aliases.findWithRecipients(account, alias.id, ids))._unsafeUnwrap();
      expect(found.alias).toEqual(alias);
      expect(found.recipients).toHaveLength(2);
      expect(found.recipients).toEqual(expect.arrayContaining([{ ...a, attached: 1 }, b]));
      const none = await store.aliases.findWithRecipients(account, newAlias(account, [a]).id, [b.id]);
      expect(none._unsafeUnwrap()).toEqual({ alias: null, recipients: [b] });
    },
  },
  {
    name: "an alias address is unique over all accounts, whatever its case",
    run: async (store) => {
      const account = newAccount();
      const mine = await keepRecipient(store, account);
      const alias = await keepAlias(store, account, [mine]);
      const other = newAccount();
      for (const [owner, holder] of [
        [account, mine],
        [other, await keepRecipient(store, other)],
      ] as const) {
        const email = EmailAddress.parse(alias.email.toUpperCase());
        const second = newAlias(owner, [holder], { email });
        const before = await attachedTo(store, [holder]);
        expect(await store.aliases.create(second)).toMatchObject({ error: { code: "address_taken" } });
        expect(await findAlias(store, second)).toBeNull();
        expect(await attachedTo(store, [holder])).toEqual(before);
      }
    },
  },
  {
    name: "an alias is not created over another one of the same id",
    run: async (store) => {
      const account = newAccount();
      const recipient = await keepRecipient(store, account);
      const alias = await keepAlias(store, account, [recipient]);
      const second = newAlias(account, [recipient], { id: alias.id });
      expect(await store.aliases.create(second)).toMatchObject(CONFLICT);
      expect(await findAlias(store, alias)).toEqual(alias);
      expect(await attachedTo(store, [recipient])).toEqual([1]);
    },
  },
  {
    name: "an alias is not created with a recipient that is unknown, unverified or inactive, and leaves nothing behind",
    run: async (store) => {
      const account = newAccount();
      const good = await keepRecipient(store, account);
      for (const bad of [
        newRecipient(account),
        await keepRecipient(store, account, { verifiedAt: null }),
        await keepRecipient(store, account, { active: false }),
      ]) {
        const alias = newAlias(account, [good]);
        const forced = { ...withRecipients(alias, [good, bad]), version: 1 };
        expect(await store.aliases.create(forced)).toMatchObject(CONFLICT);
        expect(await findAlias(store, alias)).toBeNull();
        expect(await attachedTo(store, [good])).toEqual([0]);
        expect(await store.aliases.create(alias)).toMatchObject({ value: undefined });
        expect((await findAlias(store, alias))?.destinations).toEqual(alias.destinations);
        expect(await store.aliases.save(alias, { ...alias, deletedAt: NOW, version: 2 })).toHaveProperty(
          "value",
        );
      }
    },
  },
  {
    name: "after any run of saves an alias has exactly the recipients of the last one, in order, and the counts agree",
    run: async (store) => {
      const account = newAccount();
      const start = await keepRecipient(store, account);
      const pool = [start, ...(await keepRecipients(store, account, 5))];
      const lists = fc.array(fc.shuffledSubarray(pool, { minLength: 1 }), { minLength: 1, maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(lists, async (lists) => {
          let alias = await keepAlias(store, account, [start]);
          for (const list of lists) {
            const after = withRecipients(alias, list);
            expect(await store.aliases.save(alias, after)).toHaveProperty("value");
            alias = after;
            expect(await findAlias(store, alias)).toEqual(alias);
            const listed = new Set(list);
            expect(await attachedTo(store, pool)).toEqual(
              pool.map((recipient) => (listed.has(recipient) ? 1 : 0)),
            );
          }
          const gone = { ...alias, deletedAt: NOW, version: alias.version + 1 };
          expect(await store.aliases.save(alias, gone)).toHaveProperty("value");
          expect(await attachedTo(store, pool)).toEqual(pool.map(() => 0));
        }),
        { numRuns: 25 },
      );
    },
  },
  {
    name: "a save keeps every field it was given but the tallies",
    run: async (store) => {
      const account = newAccount();
      const alias = await keepAlias(store, account, [await keepRecipient(store, account)]);
      const after = {
        ...alias,
        description: "new",
        active: false,
        updatedAt: NOW + 5,
        version: alias.version + 1,
      };
      const counted = { ...alias.tallies, sent: { count: 7, lastAt: NOW } };
      expect(await store.aliases.save(alias, { ...after, tallies: counted })).toHaveProperty("value");
      expect(await findAlias(store, alias)).toEqual(after);
    },
  },
  {
    name: "a save that started from an older version changes nothing",
    run: async (store) => {
      const account = newAccount();
      const a = await keepRecipient(store, account);
      const b = await keepRecipient(store, account);
      const c = await keepRecipient(store, account);
      const first = await keepAlias(store, account, [a]);
      const second = withRecipients(first, [b]);
      expect(await store.aliases.save(first, second)).toHaveProperty("value");
      expect(await store.aliases.save(first, withRecipients(first, [c]))).toMatchObject(CONFLICT);
      expect(await store.aliases.save(first, { ...first, description: "stale", version: 2 })).toMatchObject(
        CONFLICT,
      );
      expect(await store.aliases.save(withRecipients(second, [c]), first)).toMatchObject(CONFLICT);
      expect(await findAlias(store, first)).toEqual(second);
      expect(await attachedTo(store, [a, b, c])).toEqual([0, 1, 0]);
    },
  },
  {
    name: "an alias that was never created cannot be saved",
    run: async (store) => {
      const account = newAccount();
      const a = await keepRecipient(store, account);
      const b = await keepRecipient(store, account);
      const alias = newAlias(account, [a]);
      expect(await store.aliases.save(alias, withRecipients(alias, [b]))).toMatchObject(CONFLICT);
      expect(await findAlias(store, alias)).toBeNull();
      expect(await attachedTo(store, [a, b])).toEqual([0, 0]);
    },
  },
  {
    name: "a save that attaches a recipient that is unknown, unverified or inactive changes nothing",
    run: async (store) => {
      const account = newAccount();
      const a = await keepRecipient(store, account);
      const b = await keepRecipient(store, account);
      const alias = await keepAlias(store, account, [a]);
      for (const bad of [
        newRecipient(account),
        await keepRecipient(store, account, { verifiedAt: null }),
        await keepRecipient(store, account, { active: false }),
      ]) {
        expect(await store.aliases.save(alias, withRecipients(alias, [b, bad]))).toMatchObject(CONFLICT);
        expect(await findAlias(store, alias)).toEqual(alias);
        expect(await attachedTo(store, [a, b])).toEqual([1, 0]);
      }
    },
  },
  {
    name: "a full swap of 40 recipients for 40 others is one save",
    run: async (store) => {
      const account = newAccount();
      const all = await keepRecipients(store, account, 80);
      const alias = await keepAlias(store, account, all.slice(0, 40));
      const after = withRecipients(alias, all.slice(40));
      expect(await store.aliases.save(alias, after)).toHaveProperty("value");
      expect(await findAlias(store, alias)).toEqual(after);
      expect(await attachedTo(store, all)).toEqual(all.map((_, i) => (i < 40 ? 0 : 1)));
    },
  },
  {
    name: "a deleted alias lets its recipients go, keeps its address, and takes them again when it comes back",
    run: async (store) => {
      const account = newAccount();
      const recipient = await keepRecipient(store, account);
      const alias = await keepAlias(store, account, [recipient]);
      const deleted = { ...alias, deletedAt: NOW, version: 2 };
      expect(await store.aliases.save(alias, deleted)).toHaveProperty("value");
      expect(await findAlias(store, alias)).toEqual(deleted);
      expect(await attachedTo(store, [recipient])).toEqual([0]);
      const successor = newAlias(account, [recipient], { email: alias.email });
      expect(await store.aliases.create(successor)).toMatchObject({ error: { code: "address_taken" } });

      const free = await findRecipient(store, recipient);
      if (free === null) throw new Error("the recipient was kept");
      expect(await store.recipients.save(free, deactivated(free))).toHaveProperty("value");
      const restored = { ...deleted, deletedAt: null, version: 3 };
      expect(await store.aliases.save(deleted, restored)).toMatchObject(CONFLICT);
      expect(await findAlias(store, alias)).toEqual(deleted);

      const off = deactivated(free);
      expect(
        await store.recipients.save(off, { ...off, active: true, version: off.version + 1 }),
      ).toHaveProperty("value");
      expect(await store.aliases.save(deleted, restored)).toHaveProperty("value");
      expect(await attachedTo(store, [recipient])).toEqual([1]);
    },
  },
  {
    name: "what a store gave out is not the store's own: changing it changes nothing kept",
    run: async (store) => {
      const account = newAccount();
      const recipient = await keepRecipient(store, account);
      const alias = newAlias(account, [recipient]);
      const given = structuredClone(alias);
      (await store.aliases.create(given))._unsafeUnwrap();
      Object.assign(given, { description: "changed" });
      const found = await findAlias(store, alias);
      Object.assign(found ?? {}, { destinations: [] });
      expect(await findAlias(store, alias)).toEqual(alias);
    },
  },
];
