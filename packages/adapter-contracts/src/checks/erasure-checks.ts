import { Alias, EmailAddress, parseEventId, type Store } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { type Check, check } from "../check.ts";
import { expectEqual, expectMatch } from "../expect.ts";
import {
  ADDRESS_TAKEN,
  ALIAS_NOT_FOUND,
  attachedCounts,
  CONFLICT,
  changed,
  createAlias,
  deleted,
  findAlias,
  findRecipient,
  NOW,
  newAccount,
  newAlias,
  saveAlias,
  storeAlias,
  storeRecipient,
  storeRecipients,
  upperCase,
  withRecipients,
} from "../samples.ts";
import { aliasesOf, retiredAddressesOf, walk } from "../walk.ts";

const event = { id: valueOf(parseEventId("event")), outcome: "sent", at: NOW } as const;

/** Throws if any port still returns the alias. */
const expectErased = async (store: Store, { account, id, email }: Alias): Promise<void> => {
  expectEqual(await findAlias(store, { account, id }), null);
  expectEqual(valueOf(await store.aliases.findByEmail(email)), null);
  for (const isDeleted of [false, true]) {
    const listed = await walk(aliasesOf(store, account, { deleted: isDeleted }));
    expectEqual(
      listed.filter((alias) => alias.id === id),
      [],
    );
  }
  expectMatch(await store.aliases.recordOutcome({ account, id }, event), ALIAS_NOT_FOUND);
  expectMatch(await store.aliases.recordOutcome({ email }, event), ALIAS_NOT_FOUND);
};

export const erasureChecks: readonly Check[] = [
  check("an erased alias, whether or not it was deleted first, is unknown to every port", async (store) => {
    const account = newAccount();
    const recipient = await storeRecipient(store, account);
    const live = await storeAlias(store, account, [recipient]);
    const other = await storeAlias(store, account, [recipient]);
    const gone = await saveAlias(store, other, deleted(other));
    for (const alias of [live, gone]) {
      // Counting leaves the version unchanged, so the loaded alias can still be erased.
      valueOf(await store.aliases.recordOutcome(alias, event));
      valueOf(await store.aliases.erase(alias));
      await expectErased(store, alias);
    }
  }),

  check("erasing an alias detaches its recipients and leaves other aliases unchanged", async (store) => {
    const account = newAccount();
    const [home, work] = [await storeRecipient(store, account), await storeRecipient(store, account)];
    const first = await storeAlias(store, account, [home, work]);
    const second = await storeAlias(store, account, [home]);
    const other = await storeAlias(store, account, [work]);
    valueOf(await store.aliases.recordOutcome(other, event));
    const kept = await findAlias(store, other);

    valueOf(await store.aliases.erase(first));
    expectEqual(await attachedCounts(store, [home, work]), [1, 1]);
    const gone = await saveAlias(store, second, deleted(second));
    expectEqual(await attachedCounts(store, [home, work]), [0, 1]);
    valueOf(await store.aliases.erase(gone));
    expectEqual(await findRecipient(store, home), home);
    expectEqual(await findRecipient(store, work), { ...work, attached: 1 });
    expectEqual(await findAlias(store, other), kept);
    expectEqual(valueOf(await store.aliases.findByEmail(other.email)), kept && Alias.state(kept));
    expectEqual(await walk(aliasesOf(store, account)), [kept]);
    valueOf(await store.recipients.remove(home));
    expectMatch(await store.recipients.remove(work), CONFLICT);
  }),

  check("an alias with 40 recipients is erased in one call", async (store) => {
    const account = newAccount();
    const recipients = await storeRecipients(store, account, 40);
    const alias = await storeAlias(store, account, recipients);
    valueOf(await store.aliases.erase(alias));
    await expectErased(store, alias);
    expectEqual(
      await attachedCounts(store, recipients),
      recipients.map(() => 0),
    );
  }),

  check(
    "the address of an erased alias stays taken in every account, and nothing else is stored with it",
    async (store) => {
      const [account, other] = [newAccount(), newAccount()];
      const recipient = await storeRecipient(store, account);
      const alias = await storeAlias(store, account, [recipient]);
      valueOf(await store.aliases.erase(alias));
      for (const owner of [recipient, await storeRecipient(store, other)]) {
        for (const email of [alias.email, upperCase(alias.email)]) {
          const successor = newAlias(owner.account, [owner], { email });
          expectMatch(await createAlias(store, successor), ADDRESS_TAKEN);
          expectEqual(await findAlias(store, successor), null);
          expectEqual(await attachedCounts(store, [owner]), [0]);
        }
      }
      expectEqual(await walk(retiredAddressesOf(store)), [EmailAddress.key(alias.email)]);
    },
  ),

  check(
    "erasing an alias at an older version, or one that does not exist, changes nothing",
    async (store) => {
      const account = newAccount();
      const [home, work] = [await storeRecipient(store, account), await storeRecipient(store, account)];
      const alias = await storeAlias(store, account, [home]);
      const after = await saveAlias(store, alias, withRecipients(alias, [work]));
      const unknown = newAlias(account, [home]);
      for (const refused of [alias, changed(after, {}), unknown]) {
        expectMatch(await store.aliases.erase(refused), CONFLICT);
      }
      expectEqual(await findAlias(store, alias), after);
      expectEqual(valueOf(await store.aliases.findByEmail(alias.email)), Alias.state(after));
      expectEqual(await attachedCounts(store, [home, work]), [0, 1]);
      expectEqual(await walk(retiredAddressesOf(store)), []);
      await storeAlias(store, account, [home], { email: unknown.email });
    },
  ),

  check("an erased alias can be neither saved nor erased again", async (store) => {
    const account = newAccount();
    const recipient = await storeRecipient(store, account);
    const alias = await storeAlias(store, account, [recipient]);
    valueOf(await store.aliases.erase(alias));
    expectMatch(await store.aliases.save(alias, changed(alias, { description: "back" })), CONFLICT);
    expectMatch(await store.aliases.erase(alias), CONFLICT);
    await expectErased(store, alias);
    expectEqual(await attachedCounts(store, [recipient]), [0]);
    expectEqual((await walk(retiredAddressesOf(store))).length, 1);
  }),
];
