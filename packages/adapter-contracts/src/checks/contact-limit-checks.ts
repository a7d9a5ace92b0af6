import type { Contact, NonEmpty, Store } from "@postern/core";
import type { AliasKey, Correspondent } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { type Check, checkOf } from "../check.ts";
import { expectEqual } from "../expect.ts";
import {
  changedContact,
  findContact,
  NOW,
  newAccount,
  newContact,
  newCorrespondent,
  record,
  saveContact,
  storeAlias,
  storeRecipient,
} from "../samples.ts";
import { contactsOf, walk } from "../walk.ts";

const check = checkOf("contacts");

const HOUR = 60 * 60_000;

const storeNewAlias = async (store: Store) => {
  const account = newAccount();
  return storeAlias(store, account, [await storeRecipient(store, account)]);
};

const meetAt = async (store: Store, alias: AliasKey, limit: number, ...recorded: NonEmpty<Correspondent>) =>
  valueOf(await store.contacts.record(alias, recorded, { contacts: limit }));

/** Meets a new address `hours` after `NOW`, with a limit. Throws if there is no room for it. */
const meetOne = async (store: Store, alias: AliasKey, limit: number, hours: number): Promise<Contact> => {
  const [contact] = await meetAt(store, alias, limit, newCorrespondent({ at: NOW + hours * HOUR }));
  if (!contact) throw new Error("a new contact was not stored, although there is room or one can be evicted");
  return contact;
};

const idsOf = async (store: Store, alias: AliasKey) =>
  (await walk(contactsOf(store, alias))).map(({ id }) => id).sort();

const sorted = (contacts: readonly Contact[]) => contacts.map(({ id }) => id).sort();

export const contactLimitChecks: readonly Check[] = [
  check(
    "at the limit, the contact that has been unused for longest is evicted for a new one",
    async (store) => {
      const [alias, other] = [await storeNewAlias(store), await storeNewAlias(store)];
      await meetOne(store, other, 3, 0);
      const first = await meetOne(store, alias, 3, 0);
      const second = await meetOne(store, alias, 3, 2);
      const third = await meetOne(store, alias, 3, 4);
      // The first one is now the most recently used one.
      await record(store, alias, newCorrespondent({ email: first.email, at: NOW + 6 * HOUR }));
      const fourth = await meetOne(store, alias, 3, 8);
      expectEqual(await idsOf(store, alias), sorted([first, third, fourth]));
      expectEqual(await findContact(store, second), null);
      const fifth = await meetOne(store, alias, 3, 10);
      expectEqual(await idsOf(store, alias), sorted([first, fourth, fifth]));
      // The id and the address of an evicted contact are free again.
      const [back] = await meetAt(
        store,
        alias,
        3,
        newCorrespondent({ id: second.id, email: second.email, at: NOW + 12 * HOUR }),
      );
      expectEqual(back?.id, second.id);
      expectEqual(await idsOf(store, alias), sorted([second, fourth, fifth]));
      expectEqual((await idsOf(store, other)).length, 1);
    },
  ),

  check("contacts that were written to, added or blocked are never evicted", async (store) => {
    const alias = await storeNewAlias(store);
    const at = NOW;
    const sent = await record(store, alias, newCorrespondent({ at, kind: "sent" }));
    const added = await record(store, alias, newCorrespondent({ at, kind: "added" }));
    const received = await record(store, alias, newCorrespondent({ at }));
    const blocked = await saveContact(store, received, changedContact(received, { blocking: "discard" }));
    const free = await meetOne(store, alias, 4, 5);
    const next = await meetOne(store, alias, 4, 6);
    expectEqual(await findContact(store, free), null);
    expectEqual(await idsOf(store, alias), sorted([sent, added, blocked, next]));

    // Once the last one was written to as well, none can be evicted.
    await meetAt(store, alias, 4, newCorrespondent({ email: next.email, kind: "sent", at: NOW }));
    for (const kind of ["received", "sent", "added"] as const) {
      const refused = newCorrespondent({ at: NOW + 9 * HOUR, kind });
      expectEqual(await meetAt(store, alias, 4, refused), [null]);
      expectEqual(await findContact(store, refused), null);
    }
    // Known contacts are still recorded as usual.
    const [again] = await meetAt(
      store,
      alias,
      4,
      newCorrespondent({ email: blocked.email, at: NOW + 9 * HOUR }),
    );
    expectEqual(again, { ...blocked, lastReceivedAt: NOW + 9 * HOUR });
    // A contact that is no longer blocked can be evicted again.
    await saveContact(store, blocked, changedContact(blocked, { blocking: "none" }));
    const last = await meetOne(store, alias, 4, 10);
    expectEqual(await idsOf(store, alias), sorted([sent, added, next, last]));
  }),

  check("contacts of one call never evict each other", async (store) => {
    const alias = await storeNewAlias(store);
    const old = await meetOne(store, alias, 3, 0);
    const known = await meetOne(store, alias, 3, 0);
    const [one, two, three] = [1, 2, 3].map(() => newCorrespondent({ at: NOW + HOUR }));
    if (!(one && two && three)) throw new Error("the samples are incomplete");
    const again = newCorrespondent({ email: known.email, at: NOW });
    const recorded = await meetAt(store, alias, 3, one, again, two, three);
    expectEqual(
      recorded.map((contact) => contact?.id ?? null),
      [one.id, known.id, two.id, null],
    );
    expectEqual(await idsOf(store, alias), [one.id, known.id, two.id].sort());
    expectEqual(await findContact(store, old), null);
  }),

  check(
    "a limit of 0 contacts means no limit, and a lower one than before evicts contacts",
    async (store) => {
      const alias = await storeNewAlias(store);
      const all: Contact[] = [];
      for (let hour = 0; hour < 6; hour += 1) all.push(await meetOne(store, alias, 0, hour));
      expectEqual(await idsOf(store, alias), sorted(all));
      const next = await meetOne(store, alias, 3, 7);
      expectEqual(await idsOf(store, alias), sorted([...all.slice(4), next]));
    },
  ),

  check("creating contacts has no limit", async (store) => {
    const alias = await storeNewAlias(store);
    const contact = await meetOne(store, alias, 1, 0);
    const created = newContact(alias);
    valueOf(await store.contacts.create(created));
    expectEqual(await idsOf(store, alias), sorted([contact, created]));
  }),
];
