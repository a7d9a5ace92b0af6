import { Alias, EmailAddress } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import type { Check } from "../check.ts";
import { expectEqual, expectMatch } from "../expect.ts";
import {
  ADDRESS_TAKEN,
  createAlias,
  createRecipient,
  findAlias,
  findRecipient,
  newAccount,
  newAlias,
  newRecipient,
  storeAlias,
  storeRecipient,
} from "../samples.ts";
import { retiredAddressesOf, walk } from "../walk.ts";
import { expectOne, raceCheck } from "./race.ts";

/* Of two calls that want one address or one id, only one gets it. */

export const identityRaces: readonly Check[] = [
  raceCheck(
    "creating two aliases with the same address at once: exactly one succeeds",
    async ({ store, account, home }) => {
      const other = newAccount();
      const alias = newAlias(account, [home]);
      const rival = newAlias(other, [await storeRecipient(store, other)], { email: alias.email });
      return {
        rivals: [() => createAlias(store, alias), () => createAlias(store, rival)],
        verify: async (succeeded) => {
          expectOne(succeeded);
          expectEqual(await findAlias(store, alias), succeeded[0] ? alias : null);
          expectEqual(await findAlias(store, rival), succeeded[0] ? null : rival);
          const found = valueOf(await store.aliases.findByEmail(alias.email));
          expectEqual(found, Alias.state(succeeded[0] ? alias : rival));
        },
      };
    },
  ),

  raceCheck(
    "creating two aliases with the same id at once: exactly one succeeds",
    async ({ store, account, home }) => {
      const alias = newAlias(account, [home]);
      const rival = newAlias(account, [home], { id: alias.id });
      return {
        rivals: [() => createAlias(store, alias), () => createAlias(store, rival)],
        verify: async (succeeded) => {
          expectOne(succeeded);
          const [created, refused] = succeeded[0] ? [alias, rival] : [rival, alias];
          expectEqual(await findAlias(store, alias), created);
          await storeAlias(store, account, [home], { email: refused.email });
        },
      };
    },
  ),

  raceCheck(
    "creating two recipients with the same address at once: exactly one succeeds",
    async ({ store, account }) => {
      const recipient = newRecipient(account);
      const rival = newRecipient(account, { email: recipient.email });
      return {
        rivals: [() => createRecipient(store, recipient), () => createRecipient(store, rival)],
        verify: async (succeeded) => {
          expectOne(succeeded);
          expectEqual(await findRecipient(store, recipient), succeeded[0] ? recipient : null);
          expectEqual(await findRecipient(store, rival), succeeded[0] ? null : rival);
        },
      };
    },
  ),

  raceCheck(
    "creating two recipients with the same id at once: exactly one succeeds",
    async ({ store, account }) => {
      const recipient = newRecipient(account);
      const rival = newRecipient(account, { id: recipient.id });
      return {
        rivals: [() => createRecipient(store, recipient), () => createRecipient(store, rival)],
        verify: async (succeeded) => {
          expectOne(succeeded);
          const [created, refused] = succeeded[0] ? [recipient, rival] : [rival, recipient];
          expectEqual(await findRecipient(store, recipient), created);
          await storeRecipient(store, account, { email: refused.email });
        },
      };
    },
  ),

  raceCheck(
    "creating an alias races with retiring its address: exactly one succeeds",
    async ({ store, account, home }) => {
      const alias = newAlias(account, [home]);
      return {
        rivals: [() => createAlias(store, alias), () => store.aliases.retireAddress(alias.email)],
        verify: async (succeeded) => {
          expectOne(succeeded);
          const found = succeeded[0] ? alias : null;
          expectEqual(await findAlias(store, alias), found);
          expectEqual(valueOf(await store.aliases.findByEmail(alias.email)), found && Alias.state(found));
        },
      };
    },
  ),

  raceCheck(
    "erasing an alias races with creating another one with its address: the address stays taken",
    async ({ store, account, home, work }) => {
      const alias = await storeAlias(store, account, [home]);
      const successor = newAlias(account, [work], { email: alias.email });
      return {
        rivals: [() => store.aliases.erase(alias), () => createAlias(store, successor)],
        verify: async ([erased, created]) => {
          expectEqual({ erased, created }, { erased: true, created: false });
          expectEqual(await findAlias(store, alias), null);
          expectEqual(valueOf(await store.aliases.findByEmail(alias.email)), null);
          expectMatch(await createAlias(store, successor), ADDRESS_TAKEN);
        },
      };
    },
  ),

  raceCheck(
    "erasing an alias races with retiring its address: the address is retired once",
    async ({ store, account, home }) => {
      const alias = await storeAlias(store, account, [home]);
      return {
        rivals: [() => store.aliases.erase(alias), () => store.aliases.retireAddress(alias.email)],
        verify: async ([erased]) => {
          expectEqual({ erased }, { erased: true });
          const retired = await walk(retiredAddressesOf(store));
          expectEqual(retired.filter((address) => address === EmailAddress.key(alias.email)).length, 1);
        },
      };
    },
  ),
];
