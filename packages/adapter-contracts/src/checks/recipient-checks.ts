import { valueOf } from "@postern/core/testing";
import { type Check, check } from "../check.ts";
import { expectEqual, expectMatch, expectSameItems } from "../expect.ts";
import {
  ADDRESS_TAKEN,
  attachedCounts,
  CONFLICT,
  changedRecipient,
  createRecipient,
  deactivated,
  findAlias,
  findRecipient,
  newAccount,
  newRecipient,
  saveAlias,
  saveRecipient,
  storeAlias,
  storeRecipient,
  storeRecipients,
  upperCase,
  withRecipients,
} from "../samples.ts";
import { tryToChange } from "../try-to-change.ts";
import { recipientsOf, walk } from "../walk.ts";

export const recipientChecks: readonly Check[] = [
  check("find returns null for an unknown recipient", async (store) => {
    const { account } = await storeRecipient(store, newAccount());
    expectEqual(await findRecipient(store, newRecipient(account)), null);
  }),

  check("findAll returns each recipient that exists, once", async (store) => {
    const account = newAccount();
    const stored = await storeRecipients(store, account, 40);
    const ids = stored.map(({ id }) => id);
    const found = valueOf(
      await store.recipients.findAll(account, [newRecipient(account).id, ...ids, ...ids]),
    );
    expectSameItems(found, stored);
    expectEqual(valueOf(await store.recipients.findAll(account, [])), []);
  }),

  check("a recipient address is unique within its account only, in any case", async (store) => {
    const account = newAccount();
    const recipient = await storeRecipient(store, account);
    const email = upperCase(recipient.email);
    const twin = newRecipient(account, { email });
    expectMatch(await createRecipient(store, twin), ADDRESS_TAKEN);
    expectEqual(await findRecipient(store, twin), null);
    const elsewhere = await storeRecipient(store, newAccount(), { email });
    expectEqual(await findRecipient(store, elsewhere), elsewhere);
  }),

  check("a recipient id is unique within its account", async (store) => {
    const account = newAccount();
    const recipient = await storeRecipient(store, account);
    const twin = newRecipient(account, { id: recipient.id });
    expectMatch(await createRecipient(store, twin), CONFLICT);
    expectEqual(await findRecipient(store, recipient), recipient);
    await storeRecipient(store, account, { email: twin.email });
    await storeAlias(store, account, [recipient]);
    const third = newRecipient(account, { id: recipient.id });
    expectMatch(await createRecipient(store, third), CONFLICT);
    expectEqual(await findRecipient(store, recipient), { ...recipient, attached: 1 });
  }),

  check(
    "saving a recipient from an older version, or one that was never created, changes nothing",
    async (store) => {
      const account = newAccount();
      const first = await storeRecipient(store, account);
      const second = await saveRecipient(store, first, changedRecipient(first, { nonce: "second" }));
      const stale = changedRecipient(first, { nonce: "stale" });
      expectMatch(await store.recipients.save(first, stale), CONFLICT);
      expectEqual(await findRecipient(store, first), second);
      const unknown = newRecipient(account);
      expectMatch(await store.recipients.save(unknown, deactivated(unknown)), CONFLICT);
      expectEqual(await findRecipient(store, unknown), null);
    },
  ),

  check("a recipient stays verified and active while it is attached to an alias", async (store) => {
    const account = newAccount();
    const a = await storeRecipient(store, account);
    const b = await storeRecipient(store, account);
    const alias = await storeAlias(store, account, [a]);
    for (const ineligible of [deactivated(a), changedRecipient(a, { verifiedAt: null })]) {
      expectMatch(await store.recipients.save(a, ineligible), CONFLICT);
      expectEqual(await findRecipient(store, a), { ...a, attached: 1 });
    }
    const after = await saveAlias(store, alias, withRecipients(alias, [b]));
    await saveRecipient(store, a, deactivated(a));
    expectMatch(await store.aliases.save(after, withRecipients(after, [a])), CONFLICT);
    expectEqual(await findAlias(store, alias), after);
  }),

  check("attaching and detaching a recipient leaves its version and times unchanged", async (store) => {
    const account = newAccount();
    const a = await storeRecipient(store, account);
    const b = await storeRecipient(store, account);
    const first = await storeAlias(store, account, [a]);
    const second = await storeAlias(store, account, [a, b]);
    await saveAlias(store, first, withRecipients(first, [b, a]));
    await saveAlias(store, second, withRecipients(second, [b]));
    expectEqual(await findRecipient(store, a), { ...a, attached: 1 });
    expectEqual(await findRecipient(store, b), { ...b, attached: 2 });
    await saveRecipient(store, a, changedRecipient(a, { nonce: "new" }));
    expectEqual(await attachedCounts(store, [a, b]), [1, 2]);
  }),

  check("a removed recipient leaves nothing behind, and its address is free again", async (store) => {
    const account = newAccount();
    const recipient = await storeRecipient(store, account);
    const other = await storeRecipient(store, account);
    valueOf(await store.recipients.remove(recipient));
    expectEqual(await findRecipient(store, recipient), null);
    expectEqual(await walk(recipientsOf(store, account)), [other]);
    expectMatch(await store.recipients.remove(recipient), CONFLICT);
    expectMatch(await store.recipients.save(recipient, deactivated(recipient)), CONFLICT);
    await storeRecipient(store, account, { email: recipient.email });
  }),

  check("a recipient that is attached, or has changed since it was read, is not removed", async (store) => {
    const account = newAccount();
    const a = await storeRecipient(store, account);
    const b = await storeRecipient(store, account);
    const alias = await storeAlias(store, account, [a]);
    expectMatch(await store.recipients.remove(a), CONFLICT);
    expectEqual(await findRecipient(store, a), { ...a, attached: 1 });
    const after = await saveRecipient(store, b, changedRecipient(b, { nonce: "changed" }));
    expectMatch(await store.recipients.remove(b), CONFLICT);
    expectEqual(await findRecipient(store, b), after);
    await saveAlias(store, alias, withRecipients(alias, [b]));
    valueOf(await store.recipients.remove(a));
  }),

  check("a store shares no recipients with its callers", async (store) => {
    const account = newAccount();
    const recipient = newRecipient(account);
    const given = structuredClone(recipient);
    valueOf(await createRecipient(store, given));
    tryToChange(given);
    tryToChange(await findRecipient(store, recipient));
    tryToChange(valueOf(await store.recipients.findAll(account, [recipient.id])));
    for (const listed of await walk(recipientsOf(store, account))) tryToChange(listed);
    expectEqual(await findRecipient(store, recipient), recipient);

    const after = changedRecipient(recipient, { nonce: "new" });
    const saved = structuredClone(after);
    await saveRecipient(store, recipient, saved);
    tryToChange(saved);
    expectEqual(await findRecipient(store, recipient), after);
  }),
];
