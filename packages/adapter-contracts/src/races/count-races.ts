import { type MailEvent, parseEventId } from "@postern/core";
import { Tallies } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import type { Check } from "../check.ts";
import { expectEqual } from "../expect.ts";
import {
  attachedCounts,
  changedRecipient,
  createAlias,
  findAlias,
  findRecipient,
  NOW,
  newAlias,
  storeAlias,
  storeRecipient,
  withRecipients,
} from "../samples.ts";
import { aliasesOf, walk } from "../walk.ts";
import { raceCheck } from "./race.ts";

/* No event or attachment is lost or counted twice. */

const sent = (id: string): MailEvent => ({ id: valueOf(parseEventId(id)), outcome: "sent", at: NOW });

export const countRaces: readonly Check[] = [
  raceCheck("an event reported twice at once is counted once", async ({ store, account, home }) => {
    const alias = await storeAlias(store, account, [home]);
    const { email } = alias;
    return {
      rivals: [
        () => store.aliases.recordOutcome(alias, sent("one")),
        () => store.aliases.recordOutcome({ email }, sent("one")),
      ],
      verify: async (succeeded) => {
        expectEqual(succeeded, [true, true]);
        expectEqual((await findAlias(store, alias))?.tallies.sent.count, 1);
      },
    };
  }),

  raceCheck("two events reported at once are both counted", async ({ store, account, home }) => {
    const alias = await storeAlias(store, account, [home]);
    return {
      rivals: [
        () => store.aliases.recordOutcome(alias, sent("one")),
        () => store.aliases.recordOutcome(alias, sent("other")),
      ],
      verify: async (succeeded) => {
        expectEqual(succeeded, [true, true]);
        expectEqual((await findAlias(store, alias))?.tallies.sent.count, 2);
      },
    };
  }),

  raceCheck(
    "an event reported while its alias is saved is counted, and the save is not lost",
    async ({ store, account, home, work }) => {
      const alias = await storeAlias(store, account, [home]);
      const after = withRecipients(alias, [work]);
      return {
        rivals: [
          () => store.aliases.recordOutcome(alias, sent("one")),
          () => store.aliases.save(alias, after),
        ],
        verify: async (succeeded) => {
          expectEqual(succeeded, [true, true]);
          const tallies = Tallies.add(alias.tallies, "sent", NOW);
          expectEqual(await findAlias(store, alias), { ...after, tallies });
        },
      };
    },
  ),

  raceCheck(
    "an event reported while its alias is erased does not bring the alias back",
    async ({ store, account, home }) => {
      const alias = await storeAlias(store, account, [home]);
      return {
        rivals: [() => store.aliases.erase(alias), () => store.aliases.recordOutcome(alias, sent("one"))],
        verify: async ([erased]) => {
          expectEqual({ erased }, { erased: true });
          expectEqual(await findAlias(store, alias), null);
          expectEqual(valueOf(await store.aliases.findByEmail(alias.email)), null);
          expectEqual(await walk(aliasesOf(store, account)), []);
        },
      };
    },
  ),

  raceCheck(
    "a recipient attached to two aliases at once is counted once for each success",
    async ({ store, account, home }) => {
      const target = await storeRecipient(store, account);
      const alias = await storeAlias(store, account, [home]);
      const created = newAlias(account, [target]);
      return {
        rivals: [
          () => store.aliases.save(alias, withRecipients(alias, [target])),
          () => createAlias(store, created),
        ],
        verify: async (succeeded) => {
          expectEqual(await attachedCounts(store, [target]), [succeeded.filter(Boolean).length]);
        },
      };
    },
  ),

  raceCheck(
    "a recipient detached from one alias while it is attached to another is counted correctly",
    async ({ store, account, home }) => {
      const target = await storeRecipient(store, account);
      const left = await storeAlias(store, account, [target]);
      const joined = await storeAlias(store, account, [home]);
      return {
        rivals: [
          () => store.aliases.save(left, withRecipients(left, [home])),
          () => store.aliases.save(joined, withRecipients(joined, [target])),
        ],
        verify: async ([detached, attached]) => {
          const count = (detached ? 0 : 1) + (attached ? 1 : 0);
          expectEqual(await attachedCounts(store, [target]), [count]);
        },
      };
    },
  ),

  raceCheck(
    "a recipient saved while it is attached loses neither the save nor the count",
    async ({ store, account, home }) => {
      const target = await storeRecipient(store, account);
      const after = changedRecipient(target, { nonce: "after" });
      const alias = await storeAlias(store, account, [home]);
      return {
        rivals: [
          () => store.recipients.save(target, after),
          () => store.aliases.save(alias, withRecipients(alias, [target])),
        ],
        verify: async ([saved, attached]) => {
          const expected = { ...(saved ? after : target), attached: attached ? 1 : 0 };
          expectEqual(await findRecipient(store, target), expected);
        },
      };
    },
  ),
];
