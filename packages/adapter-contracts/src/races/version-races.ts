import type { Check } from "../check.ts";
import { expectEqual } from "../expect.ts";
import {
  attachedCounts,
  changed,
  changedRecipient,
  deactivated,
  findAlias,
  findRecipient,
  storeAlias,
  storeRecipient,
  storeRecipients,
  withRecipients,
} from "../samples.ts";
import { expectOne, raceCheck } from "./race.ts";

/* Of two writes that start from one version, one fails and leaves no trace. */

export const versionRaces: readonly Check[] = [
  raceCheck(
    "two saves of an alias from the same version race: exactly one succeeds",
    async ({ store, account, home, work }) => {
      const alias = await storeAlias(store, account, [home]);
      const [one, other] = [withRecipients(alias, [work, home]), changed(alias, { description: "other" })];
      return {
        rivals: [() => store.aliases.save(alias, one), () => store.aliases.save(alias, other)],
        verify: async (succeeded) => {
          expectOne(succeeded);
          expectEqual(await findAlias(store, alias), succeeded[0] ? one : other);
        },
      };
    },
  ),

  raceCheck(
    "two saves of a recipient from the same version race: exactly one succeeds",
    async ({ store, account }) => {
      const recipient = await storeRecipient(store, account);
      const [one, other] = [changedRecipient(recipient, { nonce: "one" }), deactivated(recipient)];
      return {
        rivals: [() => store.recipients.save(recipient, one), () => store.recipients.save(recipient, other)],
        verify: async (succeeded) => {
          expectOne(succeeded);
          expectEqual(await findRecipient(store, recipient), succeeded[0] ? one : other);
        },
      };
    },
  ),

  raceCheck("saving a recipient races with removing it: exactly one succeeds", async ({ store, account }) => {
    const recipient = await storeRecipient(store, account);
    const after = changedRecipient(recipient, { nonce: "after" });
    return {
      rivals: [() => store.recipients.save(recipient, after), () => store.recipients.remove(recipient)],
      verify: async (succeeded) => {
        expectOne(succeeded);
        expectEqual(await findRecipient(store, recipient), succeeded[0] ? after : null);
      },
    };
  }),

  raceCheck("saving an alias races with erasing it: exactly one succeeds", async ({ store, account }) => {
    const recipients = await storeRecipients(store, account, 2);
    const alias = await storeAlias(store, account, recipients.slice(0, 1));
    const after = withRecipients(alias, recipients.slice(1));
    return {
      rivals: [() => store.aliases.save(alias, after), () => store.aliases.erase(alias)],
      verify: async (succeeded) => {
        expectOne(succeeded);
        expectEqual(await findAlias(store, alias), succeeded[0] ? after : null);
        expectEqual(await attachedCounts(store, recipients), [0, succeeded[0] ? 1 : 0]);
      },
    };
  }),

  raceCheck("two erasures of an alias race: exactly one succeeds", async ({ store, account }) => {
    const recipient = await storeRecipient(store, account);
    const alias = await storeAlias(store, account, [recipient]);
    const other = await storeAlias(store, account, [recipient]);
    return {
      rivals: [() => store.aliases.erase(alias), () => store.aliases.erase(alias)],
      verify: async (succeeded) => {
        expectOne(succeeded);
        expectEqual(await findAlias(store, alias), null);
        expectEqual(await findAlias(store, other), other);
        expectEqual(await attachedCounts(store, [recipient]), [1]);
      },
    };
  }),
];
