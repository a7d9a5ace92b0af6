import { Alias } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { type Check, check } from "../check.ts";
import { expectEqual, expectMatch, expectSameItems } from "../expect.ts";
import { runs } from "../runs.ts";
import {
  ADDRESS_TAKEN,
  attachedCounts,
  CONFLICT,
  changed,
  createAlias,
  deactivated,
  deleted,
  findAlias,
  newAccount,
  newAlias,
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
import { aliasesOf, walk } from "../walk.ts";

export const aliasChecks: readonly Check[] = [
  check("findWithRecipients returns the alias and each recipient that exists, once", async (store) => {
    const account = newAccount();
    const a = await storeRecipient(store, account);
    const b = await storeRecipient(store, account);
    const alias = await storeAlias(store, account, [a]);
    const ids = [b.id, newRecipient(account).id, a.id, b.id];
    const found = valueOf(await store.aliases.findWithRecipients(account, alias.id, ids));
    expectEqual(found.alias, alias);
    expectSameItems(found.recipients, [{ ...a, attached: 1 }, b]);
    const { id: unknown } = newAlias(account, [a]);
    const none = valueOf(await store.aliases.findWithRecipients(account, unknown, [b.id]));
    expectEqual(none, { alias: null, recipients: [b] });
  }),

  check("an alias address is unique across all accounts, in any case", async (store) => {
    const [account, other] = [newAccount(), newAccount()];
    const own = await storeRecipient(store, account);
    const alias = await storeAlias(store, account, [own]);
    for (const recipient of [own, await storeRecipient(store, other)]) {
      const twin = newAlias(recipient.account, [recipient], { email: upperCase(alias.email) });
      const before = await attachedCounts(store, [recipient]);
      expectMatch(await createAlias(store, twin), ADDRESS_TAKEN);
      expectEqual(await findAlias(store, twin), null);
      expectEqual(await attachedCounts(store, [recipient]), before);
    }
  }),

  check("an alias id is unique within its account", async (store) => {
    const account = newAccount();
    const recipient = await storeRecipient(store, account);
    const alias = await storeAlias(store, account, [recipient]);
    const twin = newAlias(account, [recipient], { id: alias.id });
    expectMatch(await createAlias(store, twin), CONFLICT);
    expectEqual(await findAlias(store, alias), alias);
    expectEqual(await attachedCounts(store, [recipient]), [1]);
    await storeAlias(store, account, [recipient], { email: twin.email });
  }),

  check(
    "creating an alias with an unknown, unverified or inactive recipient changes nothing",
    async (store) => {
      const account = newAccount();
      const eligible = await storeRecipient(store, account);
      for (const ineligible of [
        newRecipient(account),
        await storeRecipient(store, account, { verifiedAt: null }),
        await storeRecipient(store, account, { active: false }),
      ]) {
        const alias = newAlias(account, [eligible]);
        const { destinations } = withRecipients(alias, [eligible, ineligible]);
        expectMatch(await createAlias(store, { ...alias, destinations }), CONFLICT);
        expectEqual(await findAlias(store, alias), null);
        expectEqual(await attachedCounts(store, [eligible]), [0]);
        // Neither the id nor the address is taken.
        valueOf(await createAlias(store, alias));
        expectEqual(await findAlias(store, alias), alias);
        await saveAlias(store, alias, deleted(alias));
      }
    },
  ),

  check("a deleted alias can be created although its recipients do not exist", async (store) => {
    const account = newAccount();
    const alias = newAlias(account, [newRecipient(account)], { deletedAt: 1 });
    valueOf(await createAlias(store, alias));
    expectEqual(await findAlias(store, alias), alias);
    expectEqual(valueOf(await store.aliases.findByEmail(alias.email)), Alias.state(alias));
    expectEqual(await walk(aliasesOf(store, account, { deleted: true })), [alias]);
    // The account's first recipient does not displace it.
    const recipient = await storeRecipient(store, account);
    await saveAlias(
      store,
      alias,
      changed(withRecipients(alias, [recipient]), { deletedAt: null, version: 2 }),
    );
    expectEqual(await attachedCounts(store, [recipient]), [1]);
  }),

  check(
    "after any saves, an alias has exactly the recipients of the last one, in order, and the counts match",
    async (store) => {
      const account = newAccount();
      const start = await storeRecipient(store, account);
      const pool = [start, ...(await storeRecipients(store, account, 5))];
      const lists = fc.array(fc.shuffledSubarray(pool, { minLength: 1 }), { minLength: 1, maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(lists, async (lists) => {
          let alias = await storeAlias(store, account, [start]);
          for (const list of lists) {
            alias = await saveAlias(store, alias, withRecipients(alias, list));
            expectEqual(await findAlias(store, alias), alias);
            expectEqual(
              await attachedCounts(store, pool),
              pool.map((recipient) => (list.includes(recipient) ? 1 : 0)),
            );
          }
          await saveAlias(store, alias, deleted(alias));
          expectEqual(
            await attachedCounts(store, pool),
            pool.map(() => 0),
          );
        }),
        runs(25),
      );
    },
  ),

  check("saving an alias from an older version changes nothing", async (store) => {
    const account = newAccount();
    const a = await storeRecipient(store, account);
    const b = await storeRecipient(store, account);
    const c = await storeRecipient(store, account);
    const first = await storeAlias(store, account, [a]);
    const second = await saveAlias(store, first, withRecipients(first, [b]));
    const newer = withRecipients(second, [c]);
    expectMatch(await store.aliases.save(first, withRecipients(first, [c])), CONFLICT);
    expectMatch(await store.aliases.save(first, changed(first, { description: "stale" })), CONFLICT);
    expectMatch(await store.aliases.save(newer, first), CONFLICT);
    expectEqual(await findAlias(store, first), second);
    expectEqual(await attachedCounts(store, [a, b, c]), [0, 1, 0]);
  }),

  check("an alias that was never created cannot be saved", async (store) => {
    const account = newAccount();
    const a = await storeRecipient(store, account);
    const b = await storeRecipient(store, account);
    const alias = newAlias(account, [a]);
    expectMatch(await store.aliases.save(alias, withRecipients(alias, [b])), CONFLICT);
    expectEqual(await findAlias(store, alias), null);
    expectEqual(await attachedCounts(store, [a, b]), [0, 0]);
  }),

  check(
    "a save that attaches an unknown, unverified or inactive recipient changes nothing",
    async (store) => {
      const account = newAccount();
      const a = await storeRecipient(store, account);
      const b = await storeRecipient(store, account);
      const alias = await storeAlias(store, account, [a]);
      for (const ineligible of [
        newRecipient(account),
        await storeRecipient(store, account, { verifiedAt: null }),
        await storeRecipient(store, account, { active: false }),
      ]) {
        expectMatch(await store.aliases.save(alias, withRecipients(alias, [b, ineligible])), CONFLICT);
        expectEqual(await findAlias(store, alias), alias);
        expectEqual(await attachedCounts(store, [a, b]), [1, 0]);
      }
    },
  ),

  check("one save swaps 40 recipients for 40 others", async (store) => {
    const account = newAccount();
    const recipients = await storeRecipients(store, account, 80);
    const alias = await storeAlias(store, account, recipients.slice(0, 40));
    const after = await saveAlias(store, alias, withRecipients(alias, recipients.slice(40)));
    expectEqual(await findAlias(store, alias), after);
    expectEqual(
      await attachedCounts(store, recipients),
      recipients.map((_, i) => (i < 40 ? 0 : 1)),
    );
  }),

  check("deleting an alias detaches its recipients and keeps its address", async (store) => {
    const account = newAccount();
    const recipient = await storeRecipient(store, account);
    const alias = await storeAlias(store, account, [recipient]);
    const after = await saveAlias(store, alias, deleted(alias));
    expectEqual(await findAlias(store, alias), after);
    expectEqual(await attachedCounts(store, [recipient]), [0]);
    const successor = newAlias(account, [recipient], { email: alias.email });
    expectMatch(await createAlias(store, successor), ADDRESS_TAKEN);
  }),

  check("restoring an alias attaches its recipients again, if all are verified and active", async (store) => {
    const account = newAccount();
    const recipients = await storeRecipients(store, account, 2);
    const alias = await storeAlias(store, account, recipients);
    const before = await saveAlias(store, alias, deleted(alias));
    const restored = changed(before, { deletedAt: null });
    const [recipient] = recipients;
    if (recipient === undefined) throw new Error("two recipients were stored");

    const inactive = await saveRecipient(store, recipient, deactivated(recipient));
    expectMatch(await store.aliases.save(before, restored), CONFLICT);
    expectEqual(await findAlias(store, alias), before);
    expectEqual(await attachedCounts(store, recipients), [0, 0]);

    await saveRecipient(store, inactive, { ...inactive, active: true, version: 3 });
    await saveAlias(store, before, restored);
    expectEqual(await findAlias(store, alias), restored);
    expectEqual(await attachedCounts(store, recipients), [1, 1]);
  }),

  check("a store shares no objects with its callers", async (store) => {
    const account = newAccount();
    const alias = newAlias(account, [await storeRecipient(store, account)]);
    const given = structuredClone(alias);
    valueOf(await createAlias(store, given));
    tryToChange(given);
    tryToChange(await findAlias(store, alias));
    tryToChange(valueOf(await store.aliases.findByEmail(alias.email)));
    for (const listed of await walk(aliasesOf(store, account))) tryToChange(listed);
    expectEqual(await findAlias(store, alias), alias);

    const after = changed(alias, { description: "changed" });
    const saved = structuredClone(after);
    await saveAlias(store, alias, saved);
    tryToChange(saved);
    expectEqual(await findAlias(store, alias), after);
  }),
];
