import { NO_LIMITS, parseEmailAddress } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import type { Check } from "../check.ts";
import { expectEqual } from "../expect.ts";
import { blockNew, isAuthorBlocked, newAccount, newBlockedSender } from "../samples.ts";
import { blockedSendersOf, walk } from "../walk.ts";
import { raceCheckOf } from "./race.ts";

const raceCheck = raceCheckOf("blockedSenders");

export const blockedSenderRaces: readonly Check[] = [
  raceCheck("a sender that is blocked twice at once is blocked once", async ({ store }) => {
    const account = newAccount();
    const one = newBlockedSender(account);
    const other = newBlockedSender(account, { sender: one.sender });
    const results: { readonly blocked: unknown; readonly isNew: boolean }[] = [];
    const rival = (blocked: typeof one) => async () => {
      const result = await store.blockedSenders.block(blocked, NO_LIMITS);
      if (result.isOk()) results.push(result.value);
      return result;
    };
    return {
      rivals: [rival(one), rival(other)],
      verify: async (succeeded) => {
        expectEqual(succeeded, [true, true]);
        const [stored, ...others] = await walk(blockedSendersOf(store, account));
        expectEqual(others, []);
        expectEqual(
          results.map(({ blocked }) => blocked),
          [stored, stored],
        );
        expectEqual(results.map(({ isNew }) => isNew).toSorted(), [false, true]);
      },
    };
  }),

  raceCheckOf("blockedSenders", "contacts")(
    "blocking a sender races with unblocking it: one takes effect after the other",
    async ({ store }) => {
      const account = newAccount();
      const before = await blockNew(store, account);
      const again = newBlockedSender(account, { sender: before.sender });
      return {
        rivals: [
          () => store.blockedSenders.block(again, NO_LIMITS),
          () => store.blockedSenders.unblock(account, before.id),
        ],
        verify: async (succeeded) => {
          expectEqual(succeeded, [true, true]);
          const listed = await walk(blockedSendersOf(store, account));
          if (listed.length > 0) expectEqual(listed, [again]);
          const email = valueOf(parseEmailAddress(`x@${before.sender}`));
          expectEqual(await isAuthorBlocked(store, account, email), listed.length > 0);
          // Nothing prevents it from being blocked again.
          for (const { id } of listed) valueOf(await store.blockedSenders.unblock(account, id));
          await blockNew(store, account, { sender: before.sender });
        },
      };
    },
  ),
];
