import { NO_LIMITS } from "@postern/core";
import * as fc from "fast-check";
import { type Check, checkOf } from "../check.ts";
import { expectEqual } from "../expect.ts";
import { runs } from "../runs.ts";
import {
  findMessage,
  logNew,
  newAccount,
  newMessage,
  revised,
  storeAlias,
  storeRecipient,
} from "../samples.ts";
import { messagesOf, walk } from "../walk.ts";
import { headStarts, raceCheckOf, startAll } from "./race.ts";

const raceCheck = raceCheckOf("messages");

const check = checkOf("messages");

export const messageLogRaces: readonly Check[] = [
  check("after many messages that are logged at once, the next one keeps to the limits", async (store) => {
    const account = newAccount();
    const home = await storeRecipient(store, account);
    await fc.assert(
      fc.asyncProperty(headStarts(6), async (starts) => {
        const alias = await storeAlias(store, account, [home]);
        const limits = { loggedMessagesOfAlias: 2, loggedMessages: 0 };
        const at = Date.now();
        const messages = Array.from({ length: 7 }, (_, n) => newMessage(alias, { at: at + n }));
        const saves = messages.map((message) => () => store.messageLog.save(message, limits));
        expectEqual(await startAll(saves.slice(0, 6), starts), Array(6).fill(true));
        for (const save of saves.slice(6)) expectEqual((await save()).isOk(), true);
        expectEqual(await walk(messagesOf(store, alias)), messages.slice(5).toReversed());
      }),
      runs(15),
    );
  }),

  raceCheck(
    "two revisions of a logged message race: the later one is stored",
    async ({ store, account, home }) => {
      const alias = await storeAlias(store, account, [home]);
      const message = await logNew(store, alias);
      const second = revised(message, { size: 2 });
      const third = revised(second, { size: 3 });
      return {
        rivals: [
          () => store.messageLog.save(second, NO_LIMITS),
          () => store.messageLog.save(third, NO_LIMITS),
        ],
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
      rivals: [
        () => store.messageLog.save(message, NO_LIMITS),
        () => store.messageLog.save(later, NO_LIMITS),
      ],
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
        rivals: [() => store.messageLog.save(fresh, NO_LIMITS), () => store.aliases.erase(alias)],
        verify: async (succeeded) => {
          expectEqual(succeeded, [true, true]);
          for (const message of [known, fresh]) expectEqual(await findMessage(store, message), null);
          expectEqual(await walk(messagesOf(store, alias)), []);
        },
      };
    },
  ),
];
