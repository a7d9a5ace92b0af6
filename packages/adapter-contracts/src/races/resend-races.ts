import type { Check } from "../check.ts";
import { expectEqual } from "../expect.ts";
import { newResend, requestResend, resendsOf, storeAlias } from "../samples.ts";
import { raceCheckOf } from "./race.ts";

const raceCheck = raceCheckOf("messages");

export const resendRaces: readonly Check[] = [
  raceCheck(
    "two requests to send a message again race: the later one stays",
    async ({ store, account, home }) => {
      const first = newResend(await storeAlias(store, account, [home]));
      const second = { ...first, at: first.at + 1 };
      return {
        rivals: [() => store.resends.request(second), () => store.resends.request(first)],
        verify: async (succeeded) => {
          expectEqual(succeeded, [true, true]);
          expectEqual(await resendsOf(store, first.spool), [second]);
        },
      };
    },
  ),

  raceCheck(
    "finishing a request races with making it again: the later request stays",
    async ({ store, account, home }) => {
      const first = await requestResend(store, newResend(await storeAlias(store, account, [home])));
      const second = { ...first, at: first.at + 1 };
      return {
        rivals: [() => store.resends.finish(first), () => store.resends.request(second)],
        verify: async (succeeded) => {
          expectEqual(succeeded, [true, true]);
          expectEqual(await resendsOf(store, first.spool), [second]);
        },
      };
    },
  ),
];
