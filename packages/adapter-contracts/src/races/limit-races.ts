import type { Alias, Recipient } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { type Check, check } from "../check.ts";
import { expectEqual } from "../expect.ts";
import {
  expectPlaces,
  type Limited,
  limitedAliases,
  limitedRecipients,
  limitedUnverified,
} from "../limited.ts";
import { runs } from "../runs.ts";
import { expectOne, failuresOf, headStarts, raceCheck } from "./race.ts";

/* However many calls are made at once, an account never exceeds its limits, and is never refused anything that they allow. */

const racesOf = <T extends Alias | Recipient>(limited: Limited<T>): readonly Check[] => {
  const { things, code, prepare, create, find, ways } = limited;

  return [
    raceCheck(
      `two creations race for the last place among ${things}: exactly one succeeds`,
      async ({ store }) => {
        const next = await prepare(store);
        valueOf(await create(store, next(), 2));
        const [one, other] = [next(), next()];
        return {
          rivals: [() => create(store, one, 2), () => create(store, other, 2)],
          verify: async (succeeded) => {
            expectOne(succeeded);
            expectEqual(await find(store, one), succeeded[0] ? one : null);
            expectEqual(await find(store, other), succeeded[0] ? null : other);
            await expectPlaces(limited, store, next, 0, 2);
          },
        };
      },
    ),

    ...Object.entries(ways).flatMap(([way, leave]) => [
      raceCheck(`a creation races with ${way} one of the ${things}: both take effect`, async ({ store }) => {
        const next = await prepare(store);
        const [leaving, joining] = [next(), next()];
        valueOf(await create(store, leaving, 3));
        valueOf(await create(store, next(), 3));
        return {
          rivals: [() => leave(store, leaving), () => create(store, joining, 3)],
          verify: async (succeeded) => {
            expectEqual(succeeded, [true, true]);
            expectEqual(await find(store, joining), joining);
            await expectPlaces(limited, store, next, 1, 3);
          },
        };
      }),

      ...Object.entries(ways).map(([otherWay, leaveOtherwise]) =>
        raceCheck(
          `${way} one of the ${things} races with ${otherWay} it: that makes room for exactly one`,
          async ({ store }) => {
            const next = await prepare(store);
            const leaving = next();
            valueOf(await create(store, leaving, 2));
            valueOf(await create(store, next(), 2));
            return {
              rivals: [() => leave(store, leaving), () => leaveOtherwise(store, leaving)],
              verify: async (succeeded) => {
                expectOne(succeeded);
                await expectPlaces(limited, store, next, 1, 2);
              },
            };
          },
        ),
      ),

      check(
        `many creations race with ${way} some of the ${things}: the account gets as many as its limit allows, and no more`,
        async (store) => {
          const crowd = fc.record({
            existing: fc.integer({ min: 1, max: 3 }),
            leaving: fc.nat(3),
            places: fc.nat(3),
            joining: fc.integer({ min: 2, max: 5 }),
          });
          await fc.assert(
            fc.asyncProperty(crowd, headStarts(8), async ({ existing, leaving, places, joining }, starts) => {
              const limit = existing + places;
              const next = await prepare(store);
              const stored = Array.from({ length: existing }, next);
              for (const one of stored) valueOf(await create(store, one, limit));
              const leavers = stored.slice(0, leaving);
              const joiners = Array.from({ length: joining }, next);

              const failures = await failuresOf(
                [
                  ...joiners.map((one) => () => create(store, one, limit)),
                  ...leavers.map((one) => () => leave(store, one)),
                ],
                starts,
              );
              const joined = joiners.filter((_, i) => failures[i] === null);
              const refused = failures.slice(0, joining).filter((failure) => failure === code);
              const left = failures.slice(joining).filter((failure) => failure === null);

              const found = await Promise.all(joiners.map((one) => find(store, one)));
              expectEqual(
                found,
                joiners.map((one) => (joined.includes(one) ? one : null)),
              );
              const count = existing - left.length + joined.length;
              if (count > limit) throw new Error(`there are ${count}, although the limit is ${limit}`);
              // Only creations beyond the limit are refused because of it. Others may fail because of contention.
              if (refused.length > Math.max(0, joining - places)) {
                throw new Error(
                  `${refused.length} of ${joining} were refused, although there were ${places} places`,
                );
              }
              await expectPlaces(limited, store, next, limit - count, limit);
            }),
            // The example has them all start at once, with too few places, whatever fast-check generates.
            { ...runs(25), examples: [[{ existing: 1, leaving: 1, places: 1, joining: 3 }, []]] },
          );
        },
      ),
    ]),
  ];
};

export const limitRaces: readonly Check[] = [
  ...racesOf(limitedAliases),
  ...racesOf(limitedRecipients),
  ...racesOf(limitedUnverified),
];
