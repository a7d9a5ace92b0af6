import { valueOf } from "@postern/core/testing";
import type { Check } from "../check.ts";
import { expectEqual } from "../expect.ts";
import { NOW, newAccount } from "../samples.ts";
import { raceCheckOf } from "./race.ts";

const raceCheck = raceCheckOf("suspensions");

export const suspensionRaces: readonly Check[] = [
  raceCheck(
    "two suspensions of an account race: it is suspended since the earlier time",
    async ({ store }) => {
      const account = newAccount();
      return {
        rivals: [
          () => store.suspensions.suspend(account, NOW),
          () => store.suspensions.suspend(account, NOW + 1),
        ],
        verify: async (succeeded) => {
          expectEqual(succeeded, [true, true]);
          expectEqual(valueOf(await store.suspensions.find(account)), NOW);
        },
      };
    },
  ),

  raceCheck(
    "suspending an account again races with resuming it: one takes effect after the other",
    async ({ store }) => {
      const account = newAccount();
      valueOf(await store.suspensions.suspend(account, NOW));
      return {
        rivals: [() => store.suspensions.suspend(account, NOW + 1), () => store.suspensions.resume(account)],
        verify: async (succeeded) => {
          expectEqual(succeeded, [true, true]);
          const since = valueOf(await store.suspensions.find(account));
          // Suspended again after it was resumed, or not at all: the earlier suspension is over.
          if (since !== null) expectEqual(since, NOW + 1);
        },
      };
    },
  ),
];
