import { type Contact, isNonEmpty, type NonEmpty, type Store } from "@postern/core";
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

  check(
    "contacts that were only named are evicted first, and none is evicted for them that mail has come from",
    async (store) => {
      const alias = await storeNewAlias(store);
      const meet = (kind: Correspondent["kind"], hours: number) =>
        meetAt(store, alias, 3, newCorrespondent({ kind, at: NOW + hours * HOUR }));
      const writer = await meetOne(store, alias, 3, 0);
      const [first] = await meet("named", 2);
      const [second] = await meet("named", 3);
      const [third] = await meet("named", 4);
      if (!(first && second && third)) throw new Error("a contact that was only named was not stored");
      expectEqual(await idsOf(store, alias), sorted([writer, second, third]));
      const other = await meetOne(store, alias, 3, 5);
      expectEqual(await idsOf(store, alias), sorted([writer, other, third]));
      // In one call, a new one that is only named goes before another that is there because of its mail.
      const [named, writes] = [newCorrespondent({ kind: "named" }), newCorrespondent()].map((each) => ({
        ...each,
        at: NOW + 6 * HOUR,
      }));
      if (!(named && writes)) throw new Error("the samples are incomplete");
      const recorded = await meetAt(store, alias, 3, named, writes);
      expectEqual(
        recorded.map((contact) => contact?.id ?? null),
        [null, writes.id],
      );
      expectEqual(await idsOf(store, alias), [writer.id, other.id, writes.id].sort());
      expectEqual(await meet("named", 7), [null]);
      expectEqual(await idsOf(store, alias), [writer.id, other.id, writes.id].sort());
      // Those that mail has come from still make room for others of that kind, the least recently used one first.
      const last = await meetOne(store, alias, 3, 8);
      expectEqual(await idsOf(store, alias), [other.id, writes.id, last.id].sort());
    },
  ),

  check("an alias gets at most 100 contacts an hour that were only named, and any others", async (store) => {
    const [alias, neighbor] = [await storeNewAlias(store), await storeNewAlias(store)];
    const named = (count: number, at = NOW) =>
      Array.from({ length: count }, () => newCorrespondent({ kind: "named", at }));
    const meet = async (correspondents: readonly Correspondent[], to = alias) =>
      isNonEmpty(correspondents) ? meetAt(store, to, 0, ...correspondents) : [];
    const known = (await Promise.all([30, 30, 30].map((count) => meet(named(count))))).flat();
    expectEqual(known.filter((contact) => contact !== null).length, 90);
    const writer = newCorrespondent({ at: NOW + 1 });
    const some = await meet([...named(9, NOW + 1), writer, ...named(2, NOW + 1)]);
    expectEqual(
      some.map((contact) => contact !== null),
      [...Array(11).fill(true), false],
    );
    const late = NOW + HOUR - 1;
    expectEqual(await meet(named(2, late)), [null, null]);
    // All others are stored as usual.
    const [first] = known;
    const [again, sent, added, received] = await meet([
      newCorrespondent({ email: first?.email ?? writer.email, kind: "named", at: late }),
      newCorrespondent({ kind: "sent", at: late }),
      newCorrespondent({ kind: "added", at: late }),
      newCorrespondent({ kind: "received", at: late }),
    ]);
    expectEqual(again?.id, first?.id);
    expectEqual(
      [sent, added, received].map((contact) => contact?.createdAt),
      [late, late, late],
    );
    expectEqual((await meet(named(1, late), neighbor))[0]?.createdAt, late);
    expectEqual((await meet(named(1, NOW + HOUR + 1)))[0]?.createdAt, NOW + HOUR + 1);
    expectEqual((await idsOf(store, alias)).length, 100 + 1 + 3 + 1);
  }),

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
