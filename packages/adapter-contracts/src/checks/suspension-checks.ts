import { type AccountId, Alias, parseAccountId, type Store } from "@postern/core";
import { KEY_LIKE_IDS, valueOf } from "@postern/core/testing";
import { type Check, checkOf } from "../check.ts";
import { expectEqual, expectSameItems } from "../expect.ts";
import {
  changed,
  changedRecipient,
  findAlias,
  findRecipient,
  NOW,
  newAccount,
  saveAlias,
  storeAlias,
  storeRecipient,
  storeRecipients,
} from "../samples.ts";
import { accountsOf, aliasesOf, recipientsOf, walk } from "../walk.ts";

const check = checkOf("suspensions");

const suspendedSince = async (store: Store, account: AccountId): Promise<number | null> =>
  valueOf(await store.suspensions.find(account));

export const suspensionChecks: readonly Check[] = [
  check("an account is suspended since the earliest time given, until it is resumed", async (store) => {
    const account = newAccount();
    expectEqual(await suspendedSince(store, account), null);
    for (const [at, since] of [
      [NOW, NOW],
      [NOW + 1, NOW],
      [NOW, NOW],
      [NOW - 1, NOW - 1],
      [0, 0],
    ] as const) {
      valueOf(await store.suspensions.suspend(account, at));
      expectEqual(await suspendedSince(store, account), since);
    }
    for (let times = 0; times < 2; times += 1) {
      valueOf(await store.suspensions.resume(account));
      expectEqual(await suspendedSince(store, account), null);
    }
    // A suspension before the account was resumed does not matter.
    valueOf(await store.suspensions.suspend(account, NOW + 2));
    expectEqual(await suspendedSince(store, account), NOW + 2);
  }),

  check("suspending or resuming an account leaves all others as they are", async (store) => {
    const accounts = KEY_LIKE_IDS.map((id) => valueOf(parseAccountId(id)));
    const since = new Map<AccountId, number>();
    const expectSuspended = async () => {
      for (const account of accounts) {
        expectEqual(await suspendedSince(store, account), since.get(account) ?? null);
      }
    };
    for (const [i, account] of accounts.entries()) {
      valueOf(await store.suspensions.suspend(account, NOW + i));
      since.set(account, NOW + i);
      await expectSuspended();
    }
    for (const account of accounts) {
      valueOf(await store.suspensions.resume(account));
      since.delete(account);
      await expectSuspended();
    }
  }),

  check("suspending or resuming an account changes nothing that it has", async (store) => {
    const account = newAccount();
    const recipient = await storeRecipient(store, account);
    const alias = await storeAlias(store, account, [recipient]);
    const expectUnchanged = async () => {
      expectEqual(await walk(aliasesOf(store, account)), [alias]);
      expectEqual(await walk(recipientsOf(store, account)), [{ ...recipient, attached: 1 }]);
      expectEqual(valueOf(await store.aliases.findByEmail(alias.email)), Alias.state(alias));
    };
    valueOf(await store.suspensions.suspend(account, NOW));
    await expectUnchanged();
    valueOf(await store.suspensions.resume(account));
    await expectUnchanged();
  }),

  check("a store works the same for a suspended account", async (store) => {
    const account = newAccount();
    valueOf(await store.suspensions.suspend(account, NOW));
    const [home, work] = [await storeRecipient(store, account), await storeRecipient(store, account)];
    const alias = await storeAlias(store, account, [home]);
    const after = await saveAlias(store, alias, changed(alias, { description: "after" }));
    expectEqual(await findAlias(store, alias), after);
    valueOf(await store.recipients.save(work, changedRecipient(work, { nonce: "after" })));
    valueOf(await store.aliases.erase(after));
    valueOf(await store.recipients.remove(home));
    expectEqual(await findRecipient(store, home), null);
    expectEqual(await suspendedSince(store, account), NOW);
  }),

  checkOf("suspensions", "accounts")(
    "accounts lists a suspended account once, whether or not it has anything else",
    async (store) => {
      const [empty, busy, free] = [newAccount(), newAccount(), newAccount()];
      for (const account of [busy, free]) {
        const [recipient] = await storeRecipients(store, account, 2);
        if (recipient !== undefined) await storeAlias(store, account, [recipient]);
      }
      for (const account of [empty, busy]) valueOf(await store.suspensions.suspend(account, NOW));
      for (const limit of [1, 2, 100]) {
        expectSameItems(await walk(accountsOf(store), limit), [empty, busy, free]);
      }
      valueOf(await store.suspensions.resume(empty));
      for (const limit of [1, 2, 100]) expectSameItems(await walk(accountsOf(store), limit), [busy, free]);
    },
  ),

  checkOf("suspensions", "accounts")("a suspension outlives the data of its account", async (store) => {
    const account = newAccount();
    const recipient = await storeRecipient(store, account);
    const alias = await storeAlias(store, account, [recipient]);
    valueOf(await store.suspensions.suspend(account, NOW));
    valueOf(await store.aliases.erase(alias));
    valueOf(await store.recipients.remove(recipient));
    expectEqual(await suspendedSince(store, account), NOW);
    expectEqual(await walk(accountsOf(store)), [account]);
    valueOf(await store.suspensions.resume(account));
    expectEqual(await walk(accountsOf(store)), []);
  }),
];
