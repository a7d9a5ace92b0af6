import { Alias, EmailAddress, parseEmailAddress, parseEventId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { type Check, check, checkOf } from "../check.ts";
import { expectEqual, expectMatch, expectSameItems } from "../expect.ts";
import {
  ADDRESS_TAKEN,
  attachedCounts,
  changed,
  createAlias,
  deleted,
  findAlias,
  NOW,
  newAccount,
  newAddress,
  newAlias,
  saveAlias,
  storeAlias,
  storeRecipient,
  upperCase,
  withRecipients,
} from "../samples.ts";
import { accountsOf, retiredAddressesOf, walk } from "../walk.ts";

export const addressChecks: readonly Check[] = [
  check(
    "findByEmail finds an alias of any account by its address in any case, and by nothing else",
    async (store) => {
      for (const account of [newAccount(), newAccount()]) {
        const recipient = await storeRecipient(store, account);
        const alias = await storeAlias(store, account, [recipient]);
        for (const email of [alias.email, upperCase(alias.email), EmailAddress.key(alias.email)]) {
          const found = valueOf(await store.aliases.findByEmail(valueOf(parseEmailAddress(email))));
          expectEqual(found, Alias.state(alias));
        }
        for (const email of [newAddress(), recipient.email]) {
          expectEqual(valueOf(await store.aliases.findByEmail(email)), null);
        }
      }
    },
  ),

  check("findByEmail treats no character of an address as a wildcard", async (store) => {
    const account = newAccount();
    const alias = await storeAlias(store, account, [await storeRecipient(store, account)]);
    for (const pattern of ["_", "%", "*", "?"]) {
      const email = valueOf(parseEmailAddress(alias.email.replace("-", pattern)));
      expectEqual(valueOf(await store.aliases.findByEmail(email)), null);
      const other = await storeAlias(store, account, [await storeRecipient(store, account)], { email });
      expectEqual(valueOf(await store.aliases.findByEmail(email)), Alias.state(other));
      expectEqual(valueOf(await store.aliases.findByEmail(alias.email)), Alias.state(alias));
    }
  }),

  check("findByEmail sees the last completed write", async (store) => {
    const account = newAccount();
    const [home, work] = [await storeRecipient(store, account), await storeRecipient(store, account)];
    const find = async (email: EmailAddress) => valueOf(await store.aliases.findByEmail(email));
    for (let round = 0; round < 5; round += 1) {
      const created = await storeAlias(store, account, [home]);
      const { email } = created;
      expectEqual(await find(email), Alias.state(created));
      const saved = await saveAlias(store, created, withRecipients(created, [work, home]));
      expectEqual(await find(email), Alias.state(saved));
      const event = { id: valueOf(parseEventId("event")), outcome: "sent", at: NOW } as const;
      valueOf(await store.aliases.recordOutcome(saved, event));
      expectEqual(await find(email), Alias.state(saved));
      const gone = await saveAlias(store, saved, deleted(saved));
      expectEqual(await find(email), Alias.state(gone));
      const restored = await saveAlias(store, gone, changed(gone, { deletedAt: null }));
      expectEqual(await find(email), Alias.state(restored));
      valueOf(await store.aliases.erase(restored));
      expectEqual(await find(email), null);
    }
  }),

  check("a retired address belongs to no alias, and none can be created with it", async (store) => {
    const account = newAccount();
    const recipient = await storeRecipient(store, account);
    const email = newAddress();
    valueOf(await store.aliases.retireAddress(email));
    for (const spelling of [email, upperCase(email)]) {
      expectEqual(valueOf(await store.aliases.findByEmail(spelling)), null);
      const alias = newAlias(account, [recipient], { email: spelling });
      expectMatch(await createAlias(store, alias), ADDRESS_TAKEN);
      expectEqual(await findAlias(store, alias), null);
    }
    expectEqual(await attachedCounts(store, [recipient]), [0]);
  }),

  check("retiring an address is idempotent, in any case", async (store) => {
    const email = newAddress();
    for (const spelling of [email, email, upperCase(email), EmailAddress.key(email)]) {
      valueOf(await store.aliases.retireAddress(valueOf(parseEmailAddress(spelling))));
      expectEqual(await walk(retiredAddressesOf(store)), [EmailAddress.key(email)]);
    }
  }),

  check("the address of an alias, deleted or not, cannot be retired", async (store) => {
    const account = newAccount();
    const recipient = await storeRecipient(store, account);
    const live = await storeAlias(store, account, [recipient]);
    const alias = await storeAlias(store, account, [recipient]);
    const gone = await saveAlias(store, alias, deleted(alias));
    for (const { email } of [live, gone]) {
      for (const spelling of [email, upperCase(email)]) {
        expectMatch(await store.aliases.retireAddress(spelling), ADDRESS_TAKEN);
      }
    }
    expectEqual(await findAlias(store, live), live);
    expectEqual(await findAlias(store, gone), gone);
    expectEqual(await walk(retiredAddressesOf(store)), []);
  }),

  check(
    "listRetiredAddresses lists each retired or erased address once, in pages of any size",
    async (store) => {
      expectEqual(await walk(retiredAddressesOf(store), 1), []);
      const account = newAccount();
      const recipient = await storeRecipient(store, account);
      const retired = new Set<string>();
      for (let i = 0; i < 6; i += 1) {
        const alias = await storeAlias(store, account, [recipient]);
        valueOf(await store.aliases.erase(alias));
        const email = newAddress();
        valueOf(await store.aliases.retireAddress(email));
        retired.add(EmailAddress.key(alias.email)).add(EmailAddress.key(email));
        // Addresses in use are not listed.
        await storeAlias(store, account, [recipient]);
      }
      for (const limit of [1, 2, 5, 11, 12, 13, 100]) {
        const listed = await walk(retiredAddressesOf(store), limit);
        expectSameItems(listed, [...retired]);
      }
    },
  ),

  check("isRetired finds retired and erased addresses, in any case, and no others", async (store) => {
    const account = newAccount();
    const recipient = await storeRecipient(store, account);
    const [retired, unknown] = [newAddress(), newAddress()];
    valueOf(await store.aliases.retireAddress(retired));
    const [live, alias, erased] = [
      await storeAlias(store, account, [recipient]),
      await storeAlias(store, account, [recipient]),
      await storeAlias(store, account, [recipient]),
    ];
    const gone = await saveAlias(store, alias, deleted(alias));
    valueOf(await store.aliases.erase(erased));
    for (const [email, expected] of [
      [retired, true],
      [erased.email, true],
      [live.email, false],
      [gone.email, false],
      [unknown, false],
    ] as const) {
      for (const spelling of [email, upperCase(email)]) {
        expectEqual(valueOf(await store.aliases.isRetired(spelling)), expected);
      }
    }
  }),

  checkOf("accounts")("a retired address does not create an account", async (store) => {
    valueOf(await store.aliases.retireAddress(newAddress()));
    expectEqual(await walk(accountsOf(store)), []);
  }),
];
