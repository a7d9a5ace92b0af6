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
  newAccount,
  newAlias,
  newRecipient,
  withRecipients,
} from "./samples.ts";

/** Starts all at once and tells which of them succeeded. */
const race = async (calls: readonly (() => Promise<{ isOk(): boolean }>)[]): Promise<boolean[]> =>
  (await Promise.all(calls.map((call) => call()))).map((result) => result.isOk());

const TIMES = { numRuns: 25 };

export const concurrencyChecks: readonly Check[] = [
  {
    name: "of many saves from one version exactly one is made, whole",
    run: async (store) => {
      const account = newAccount();
      const start = await keepRecipient(store, account);
      const pool = [start, ...(await keepRecipients(store, account, 4))];
      const lists = fc.array(fc.shuffledSubarray(pool, { minLength: 1 }), { minLength: 2, maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(lists, async (lists) => {
          const alias = await keepAlias(store, account, [start]);
          const untouched = await attachedTo(store, pool);
          const saves = lists.map((list) => withRecipients(alias, list));
          const made = await race(saves.map((after) => () => store.aliases.save(alias, after)));
          expect(made.filter(Boolean)).toHaveLength(1);
          const winner = saves[made.indexOf(true)];
          expect(await findAlias(store, alias)).toEqual(winner);
          const held = new Set(winner?.destinations.map(({ recipientId }) => recipientId));
          expect(await attachedTo(store, pool)).toEqual(
            pool.map(({ id }, i) => (untouched[i] ?? 0) - (id === start.id ? 1 : 0) + (held.has(id) ? 1 : 0)),
          );
        }),
        TIMES,
      );
    },
  },
  {
    name: "of attaching and deactivating one recipient at once, the recipient of an alias stays active",
    run: async (store) => {
      const account = newAccount();
      const start = await keepRecipient(store, account);
      await fc.assert(
        fc.asyncProperty(fc.boolean(), fc.integer({ min: 1, max: 3 }), async (saveFirst, attempts) => {
          const target = await keepRecipient(store, account);
          const aliases = await Promise.all(
            Array.from({ length: attempts }, () => keepAlias(store, account, [start])),
          );
          const attaching = aliases.map(
            (alias) => () => store.aliases.save(alias, withRecipients(alias, [start, target])),
          );
          const deactivating = () => store.recipients.save(target, deactivated(target));
          await race(saveFirst ? [...attaching, deactivating] : [deactivating, ...attaching]);
          const found = await findRecipient(store, target);
          const holders = (await Promise.all(aliases.map((alias) => findAlias(store, alias)))).filter(
            (alias) => alias?.destinations.some(({ recipientId }) => recipientId === target.id),
          );
          expect(found?.attached).toBe(holders.length);
          if (holders.length > 0) expect(found?.active).toBe(true);
        }),
        TIMES,
      );
    },
  },
  {
    name: "one recipient attached to many aliases at once is counted for each",
    run: async (store) => {
      const account = newAccount();
      const start = await keepRecipient(store, account);
      const target = await keepRecipient(store, account);
      const aliases = await Promise.all(Array.from({ length: 8 }, () => keepAlias(store, account, [start])));
      const pending = new Set(aliases);
      // A store may turn away rivals for one recipient; it must not lose count of those it let through.
      for (let tries = 0; pending.size > 0 && tries < 20; tries += 1) {
        await Promise.all(
          [...pending].map(async (alias) => {
            const saved = await store.aliases.save(alias, withRecipients(alias, [target]));
            if (saved.isOk()) pending.delete(alias);
          }),
        );
        expect(await attachedTo(store, [start, target])).toEqual([pending.size, 8 - pending.size]);
      }
      expect(pending.size).toBe(0);
    },
  },
  {
    name: "of many aliases or recipients created with one address at once, one is",
    run: async (store) => {
      const account = newAccount();
      const other = newAccount();
      const owners = [await keepRecipient(store, account), await keepRecipient(store, other)];
      const first = newAlias(account, owners.slice(0, 1));
      const rivals = [
        first,
        ...owners.map((owner) => newAlias(owner.account, [owner], { email: first.email })),
      ];
      const created = await race(rivals.map((alias) => () => store.aliases.create(alias)));
      expect(created.filter(Boolean)).toHaveLength(1);
      for (const [i, alias] of rivals.entries()) {
        expect(await findAlias(store, alias)).toEqual(created[i] ? alias : null);
      }

      const email = EmailAddress.parse("one@example.org");
      const twins = Array.from({ length: 4 }, () => newRecipient(account, { email }));
      const added = await race(twins.map((twin) => () => store.recipients.create(twin)));
      expect(added.filter(Boolean)).toHaveLength(1);
      for (const [i, twin] of twins.entries()) {
        expect(await findRecipient(store, twin)).toEqual(added[i] ? twin : null);
      }
    },
  },
];
