import * as fc from "fast-check";
import { type Check, check } from "../check.ts";
import { expectEqual, expectMatch } from "../expect.ts";
import { runs } from "../runs.ts";
import {
  attachedCounts,
  createAlias,
  createRecipient,
  deactivated,
  findAlias,
  findRecipient,
  newAccount,
  newAlias,
  newRecipient,
  storeAlias,
  storeRecipient,
  storeRecipients,
  withRecipients,
} from "../samples.ts";
import { expectOne, headStarts, startAll } from "./race.ts";

/* Races of more than two calls. */

export const crowdRaces: readonly Check[] = [
  check("many saves of an alias from the same version race: exactly one succeeds", async (store) => {
    const account = newAccount();
    const start = await storeRecipient(store, account);
    const pool = [start, ...(await storeRecipients(store, account, 4))];
    const lists = fc.array(fc.shuffledSubarray(pool, { minLength: 1 }), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(lists, headStarts(6), async (lists, starts) => {
        const alias = await storeAlias(store, account, [start]);
        const saves = lists.map((list) => withRecipients(alias, list));
        const before = await attachedCounts(store, pool);
        const succeeded = await startAll(
          saves.map((after) => () => store.aliases.save(alias, after)),
          starts,
        );
        expectOne(succeeded);
        const winner = succeeded.indexOf(true);
        expectEqual(await findAlias(store, alias), saves[winner]);
        const attached = lists[winner] ?? [];
        expectEqual(
          await attachedCounts(store, pool),
          pool.map(
            (recipient, i) =>
              (before[i] ?? 0) - (recipient === start ? 1 : 0) + (attached.includes(recipient) ? 1 : 0),
          ),
        );
      }),
      runs(25),
    );
  }),

  check(
    "a recipient attached to aliases while being deactivated is never both attached and inactive",
    async (store) => {
      const account = newAccount();
      const start = await storeRecipient(store, account);
      await fc.assert(
        fc.asyncProperty(fc.nat(3), headStarts(4), async (place, starts) => {
          const target = await storeRecipient(store, account);
          const aliases = await Promise.all([1, 2, 3].map(() => storeAlias(store, account, [start])));
          const saves = aliases.map(
            (alias) => () => store.aliases.save(alias, withRecipients(alias, [start, target])),
          );
          const leave = () => store.recipients.save(target, deactivated(target));
          const attached = [...(await startAll(saves.toSpliced(place, 0, leave), starts))];
          const [left] = attached.splice(place, 1);
          const found = await Promise.all(aliases.map((alias) => findAlias(store, alias)));
          expectEqual(
            found.map((alias) => alias?.destinations.length),
            attached.map((succeeded) => (succeeded ? 2 : 1)),
          );
          const count = attached.filter(Boolean).length;
          expectMatch(await findRecipient(store, target), { active: !left, attached: count });
          if (left) expectEqual(count, 0);
        }),
        runs(25),
      );
    },
  ),

  check("a recipient attached to many aliases at once is counted for each", async (store) => {
    const account = newAccount();
    const start = await storeRecipient(store, account);
    const target = await storeRecipient(store, account);
    const aliases = await Promise.all(Array.from({ length: 8 }, () => storeAlias(store, account, [start])));
    const pending = new Set(aliases);
    // A store may refuse some of the writers that compete for one recipient; it must count the others.
    for (let attempt = 0; pending.size > 0 && attempt < 20; attempt += 1) {
      await Promise.all(
        [...pending].map(async (alias) => {
          const saved = await store.aliases.save(alias, withRecipients(alias, [target]));
          if (saved.isOk()) pending.delete(alias);
        }),
      );
      expectEqual(await attachedCounts(store, [start, target]), [pending.size, 8 - pending.size]);
    }
    expectEqual({ unsaved: pending.size }, { unsaved: 0 });
  }),

  check("of many aliases created with the same address at once, exactly one is stored", async (store) => {
    const [account, other] = [newAccount(), newAccount()];
    const recipients = [await storeRecipient(store, account), await storeRecipient(store, other)];
    await fc.assert(
      fc.asyncProperty(headStarts(4), async (starts) => {
        const first = newAlias(account, recipients.slice(0, 1));
        const rivals = [
          first,
          first,
          ...recipients.map((own) => newAlias(own.account, [own], { email: first.email })),
        ];
        const succeeded = await startAll(
          rivals.map((alias) => () => createAlias(store, alias)),
          starts,
        );
        expectOne(succeeded);
        const winner = rivals[succeeded.indexOf(true)];
        for (const alias of rivals) {
          expectEqual(await findAlias(store, alias), alias.id === winner?.id ? alias : null);
        }
      }),
      runs(25),
    );
  }),

  check("of many recipients created with the same address at once, exactly one is stored", async (store) => {
    const account = newAccount();
    await fc.assert(
      fc.asyncProperty(headStarts(4), async (starts) => {
        const { email } = newRecipient(account);
        const rivals = Array.from({ length: 4 }, () => newRecipient(account, { email }));
        const succeeded = await startAll(
          rivals.map((recipient) => () => createRecipient(store, recipient)),
          starts,
        );
        expectOne(succeeded);
        for (const [i, recipient] of rivals.entries()) {
          expectEqual(await findRecipient(store, recipient), succeeded[i] ? recipient : null);
        }
      }),
      runs(25),
    );
  }),
];
