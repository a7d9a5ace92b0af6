import type { Alias, Recipient } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { type Check, check } from "../check.ts";
import { expectEqual, expectMatch, expectOutcome } from "../expect.ts";
import {
  expectPlaces,
  type Limited,
  limitedAliases,
  limitedRecipients,
  limitedUnverified,
} from "../limited.ts";
import { runs } from "../runs.ts";
import {
  ADDRESS_TAKEN,
  CONFLICT,
  changed,
  changedRecipient,
  deleted,
  NOW,
  newAccount,
  newAlias,
  newRecipient,
  saveAlias,
  saveRecipient,
  storeAlias,
  storeRecipient,
} from "../samples.ts";

/** The checks that apply to each kind of limit. */
const checksOf = <T extends Alias | Recipient>(limited: Limited<T>): readonly Check[] => {
  const { things, code, prepare, create, find, ways } = limited;
  const tooMany = (limit: number) => ({ error: { code, limit } });

  return [
    check(`an account never exceeds its limit of ${things}, whatever other accounts have`, async (store) => {
      for (const next of [await prepare(store), await prepare(store)]) {
        valueOf(await create(store, next(), 3));
        valueOf(await create(store, next(), 3));
        await expectPlaces(limited, store, next, 1, 3);
      }
    }),

    check(`${things} refused at the limit leave nothing behind`, async (store) => {
      const next = await prepare(store);
      const [first, second, refused] = [next(), next(), next()];
      valueOf(await create(store, first, 2));
      valueOf(await create(store, second, 2));
      for (let attempt = 0; attempt < 3; attempt += 1) {
        expectMatch(await create(store, refused, 2), tooMany(2));
        expectEqual(await find(store, refused), null);
      }
      expectEqual([await find(store, first), await find(store, second)], [first, second]);
      // Its id and address are still free, and it did not count.
      valueOf(await create(store, refused, 3));
      expectEqual(await find(store, refused), refused);
      expectMatch(await create(store, next(), 3), tooMany(3));
    }),

    check(
      `a limit of 0 ${things} means no limit, and a limit below the current number allows no more`,
      async (store) => {
        const next = await prepare(store);
        for (let count = 0; count < 3; count += 1) valueOf(await create(store, next(), 0));
        for (const limit of [1, 2, 3]) expectMatch(await create(store, next(), limit), tooMany(limit));
        await expectPlaces(limited, store, next, 1, 4);
        valueOf(await create(store, next(), 0));
      },
    ),

    check(`${things} refused because of their address or id do not count`, async (store) => {
      const next = await prepare(store);
      const first = next();
      valueOf(await create(store, first, 3));
      for (let attempt = 0; attempt < 3; attempt += 1) {
        expectMatch(await create(store, { ...next(), email: first.email }, 3), ADDRESS_TAKEN);
        expectMatch(await create(store, { ...next(), id: first.id }, 3), CONFLICT);
      }
      valueOf(await create(store, next(), 3));
      await expectPlaces(limited, store, next, 1, 3);
    }),

    ...Object.entries(ways).map(([way, leave]) =>
      check(`${way} one of the ${things} makes room for exactly one`, async (store) => {
        const next = await prepare(store);
        const [first, second] = [next(), next()];
        valueOf(await create(store, first, 2));
        valueOf(await create(store, second, 2));
        valueOf(await leave(store, first));
        await expectPlaces(limited, store, next, 1, 2);
        expectMatch(await leave(store, first), CONFLICT);
        expectMatch(await create(store, next(), 2), tooMany(2));
        expectEqual(await find(store, second), second);
      }),
    ),
  ];
};

const TOO_MANY_ALIASES = { error: { code: "too_many_aliases" } };
const TOO_MANY_UNVERIFIED = { error: { code: "too_many_unverified_recipients" } };

/** A limit that leaves this many places. If it would be negative it is 0, which means no limit. */
const limitFor = (count: number, places: number): number => Math.max(0, count + places);

const isReached = (limit: number, count: number): boolean => limit > 0 && count >= limit;

const places = fc.constantFrom(0, 0, 1, 1, 2, -1);

/** Changes to an account. `nth` selects what is changed; `places` is how many places the limit of a creation leaves. */
const steps = <Name extends string>(...names: readonly Name[]) =>
  fc.array(fc.record({ does: fc.constantFrom(...names), nth: fc.nat(5), places }), {
    minLength: 5,
    maxLength: 15,
  });

const at = <T>(list: readonly T[], n: number): T | undefined => list[n % Math.max(list.length, 1)];

/** Replaces `item` in the list with the items `by`; removes it if there are none. */
const replace = <T>(list: T[], item: T, ...by: readonly T[]): void => {
  list.splice(list.indexOf(item), 1, ...by);
};

export const limitChecks: readonly Check[] = [
  ...checksOf(limitedAliases),
  ...checksOf(limitedRecipients),
  ...checksOf(limitedUnverified),

  check(
    "deleted aliases count until they are erased, and restoring one does not change the count",
    async (store) => {
      const account = newAccount();
      const home = await storeRecipient(store, account);
      const create = (alias: Alias) => store.aliases.create(alias, { aliases: 2 });
      const alias = await storeAlias(store, account, [home]);
      const gone = await saveAlias(store, alias, deleted(alias));
      const imported = newAlias(account, [home], { deletedAt: NOW });
      valueOf(await create(imported));
      expectMatch(await create(newAlias(account, [home])), TOO_MANY_ALIASES);
      await saveAlias(store, gone, changed(gone, { deletedAt: null }));
      expectMatch(await create(newAlias(account, [home])), TOO_MANY_ALIASES);
      valueOf(await store.aliases.erase(imported));
      valueOf(await create(newAlias(account, [home])));
      expectMatch(await create(newAlias(account, [home])), TOO_MANY_ALIASES);
    },
  ),

  check("aliases refused because of their recipients do not count", async (store) => {
    const account = newAccount();
    const home = await storeRecipient(store, account);
    const create = (alias: Alias) => store.aliases.create(alias, { aliases: 1 });
    for (const ineligible of [
      newRecipient(account),
      await storeRecipient(store, account, { verifiedAt: null }),
      await storeRecipient(store, account, { active: false }),
    ]) {
      const destinations = [{ recipientId: ineligible.id, email: ineligible.email }] as const;
      expectMatch(await create({ ...newAlias(account, [home]), destinations }), CONFLICT);
    }
    valueOf(await create(newAlias(account, [home])));
    expectMatch(await create(newAlias(account, [home])), TOO_MANY_ALIASES);
  }),

  check("a recipient that is created verified does not count as unverified", async (store) => {
    const account = newAccount();
    const create = (recipient: Recipient) =>
      store.recipients.create(recipient, { recipients: 4, unverifiedRecipients: 1 });
    const unverified = () => newRecipient(account, { verifiedAt: null });
    valueOf(await create(newRecipient(account)));
    valueOf(await create(newRecipient(account)));
    valueOf(await create(unverified()));
    expectMatch(await create(unverified()), TOO_MANY_UNVERIFIED);
    valueOf(await create(newRecipient(account)));
    expectMatch(await create(newRecipient(account)), { error: { code: "too_many_recipients", limit: 4 } });
  }),

  check("a recipient that is no longer verified counts as unverified again", async (store) => {
    const account = newAccount();
    const create = () =>
      store.recipients.create(newRecipient(account, { verifiedAt: null }), {
        recipients: 0,
        unverifiedRecipients: 2,
      });
    const recipient = await storeRecipient(store, account);
    await saveRecipient(store, recipient, changedRecipient(recipient, { verifiedAt: null }));
    valueOf(await create());
    expectMatch(await create(), TOO_MANY_UNVERIFIED);
  }),

  check("changes that do not affect the counts make no room", async (store) => {
    const account = newAccount();
    const [home, work] = [await storeRecipient(store, account), await storeRecipient(store, account)];
    const unverified = await storeRecipient(store, account, { verifiedAt: null });
    const off = changedRecipient(unverified, { active: false, nonce: "after" });
    expectMatch(await store.recipients.save({ ...unverified, version: 7 }, off), CONFLICT);
    expectMatch(
      await store.recipients.save({ ...unverified, version: 7 }, { ...off, verifiedAt: NOW }),
      CONFLICT,
    );
    await saveRecipient(store, unverified, off);
    const alias = await storeAlias(store, account, [home]);
    await saveAlias(store, alias, changed(alias, { active: false }));
    valueOf(await store.recipients.remove(work));
    const refused = newRecipient(account, { verifiedAt: null });
    const create = (recipients: number, unverifiedRecipients: number) =>
      store.recipients.create(refused, { recipients, unverifiedRecipients });
    expectMatch(await create(0, 1), TOO_MANY_UNVERIFIED);
    expectMatch(await create(2, 0), { error: { code: "too_many_recipients" } });
    expectMatch(await store.aliases.create(newAlias(account, [home]), { aliases: 1 }), TOO_MANY_ALIASES);
  }),

  check(
    "after any sequence of changes, an account can have exactly as many aliases as its limit",
    async (store) => {
      await fc.assert(
        fc.asyncProperty(steps("create", "create", "create", "delete", "restore", "erase"), async (steps) => {
          const account = newAccount();
          const home = await storeRecipient(store, account);
          const aliases: Alias[] = [];
          for (const { does, nth, places } of steps) {
            const alias = at(aliases, nth);
            if (does === "create") {
              const created = newAlias(account, [home]);
              const limit = limitFor(aliases.length, places);
              const result = await store.aliases.create(created, { aliases: limit });
              expectOutcome(result, [isReached(limit, aliases.length) && "too_many_aliases"]);
              if (result.isOk()) aliases.push(created);
            } else if (alias !== undefined && does === "erase") {
              valueOf(await store.aliases.erase(alias));
              replace(aliases, alias);
            } else if (alias !== undefined) {
              const after = changed(alias, { deletedAt: does === "delete" ? NOW : null });
              replace(aliases, alias, await saveAlias(store, alias, after));
            }
          }
        }),
        runs(25),
      );
    },
  ),

  check(
    "after any sequence of changes, an account can have exactly as many recipients as its limits",
    async (store) => {
      await fc.assert(
        fc.asyncProperty(
          steps("add", "add", "adopt", "adopt", "verify", "unverify", "remove"),
          places,
          async (steps, unverifiedPlaces) => {
            const account = newAccount();
            const recipients: Recipient[] = [];
            for (const { does, nth, places } of steps) {
              const recipient = at(recipients, nth);
              if (does === "add" || does === "adopt") {
                const created = newRecipient(account, { verifiedAt: does === "add" ? null : NOW });
                const unverified = recipients.filter(({ verifiedAt }) => verifiedAt === null).length;
                const limits = {
                  recipients: limitFor(recipients.length, places),
                  unverifiedRecipients: limitFor(unverified, unverifiedPlaces),
                };
                const result = await store.recipients.create(created, limits);
                expectOutcome(result, [
                  isReached(limits.recipients, recipients.length) && "too_many_recipients",
                  does === "add" &&
                    isReached(limits.unverifiedRecipients, unverified) &&
                    "too_many_unverified_recipients",
                ]);
                if (result.isOk()) recipients.push(created);
              } else if (recipient !== undefined && does === "remove") {
                valueOf(await store.recipients.remove(recipient));
                replace(recipients, recipient);
              } else if (recipient !== undefined) {
                const after = changedRecipient(recipient, { verifiedAt: does === "verify" ? NOW : null });
                replace(recipients, recipient, await saveRecipient(store, recipient, after));
              }
            }
          },
        ),
        runs(25),
      );
    },
  ),
];
