import type { Check } from "../check.ts";
import { expectEqual } from "../expect.ts";
import { findMessage, logNew, newMessage, revised, storeAlias } from "../samples.ts";
import { messagesOf, walk } from "../walk.ts";
import { raceCheckOf } from "./race.ts";

const raceCheck = raceCheckOf("messages");

export const messageLogRaces: readonly Check[] = [
  raceCheck(
    "two revisions of a logged message race: the later one is stored",
    async ({ store, account, home }) => {
      const alias = await storeAlias(store, account, [home]);
      const message = await logNew(store, alias);
      const second = revised(message, { size: 2 });
      const third = revised(second, { size: 3 });
      return {
        rivals: [() => store.messageLog.save(second), () => store.messageLog.save(third)],
        verify: async (succeeded) => {
          expectEqual(succeeded, [true, true]);
          expectEqual(await findMessage(store, message), third);
          expectEqual(await walk(messagesOf(store, alias)), [third]);
        },
      };
    },
  ),

  raceCheck("a new message is logged twice at once: it is there once", async ({ store, account, home }) => {
    const alias = await storeAlias(store, account, [home]);
    const message = newMessage(alias);
    const later = revised(message, { size: 2 });
    return {
      rivals: [() => store.messageLog.save(message), () => store.messageLog.save(later)],
      verify: async (succeeded) => {
        expectEqual(succeeded, [true, true]);
        expectEqual(await walk(messagesOf(store, alias)), [later]);
      },
    };
  }),

  raceCheck(
    "logging a message races with erasing its alias: nothing is found",
    async ({ store, account, home }) => {
      const alias = await storeAlias(store, account, [home]);
      const [known, fresh] = [await logNew(store, alias), newMessage(alias)];
      return {
        rivals: [() => store.messageLog.save(fresh), () => store.aliases.erase(alias)],
        verify: async (succeeded) => {
          expectEqual(succeeded, [true, true]);
          for (const message of [known, fresh]) expectEqual(await findMessage(store, message), null);
          expectEqual(await walk(messagesOf(store, alias)), []);
        },
      };
    },
  ),
];
