import { type Alias, type Contact, NO_LIMITS, type Store } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { type Check, checkOf } from "../check.ts";
import { expectEqual } from "../expect.ts";
import { runs } from "../runs.ts";
import {
  changedContact,
  deleted,
  findAlias,
  findContact,
  NOW,
  newAccount,
  newContact,
  newCorrespondent,
  recordNew,
  saveContact,
  storeAlias,
  storeRecipient,
} from "../samples.ts";
import { contactsOf, walk } from "../walk.ts";
import { expectOne, headStarts, type Race, type Rival, raceCheckOf, startAll } from "./race.ts";

const raceCheck = raceCheckOf("contacts");

const check = checkOf("contacts");

const HOUR = 60 * 60_000;

/** A change of an alias's contacts and the deletion of the alias: once that has returned, they never change. */
const deletionRace = (store: Store, alias: Alias, change: Rival): Race => {
  let seen: readonly Contact[] = [];
  return {
    rivals: [
      change,
      async () => {
        const saved = await store.aliases.save(alias, deleted(alias));
        seen = await walk(contactsOf(store, alias));
        return saved;
      },
    ],
    verify: async ([, isDeleted]) => {
      expectEqual(isDeleted, true);
      expectEqual(await walk(contactsOf(store, alias)), seen);
    },
  };
};

export const contactRaces: readonly Check[] = [
  raceCheck("an address recorded twice at once is one contact", async ({ store, account, home }) => {
    const alias = await storeAlias(store, account, [home]);
    const one = newCorrespondent();
    const other = newCorrespondent({ email: one.email, kind: "sent" });
    const results: unknown[] = [];
    const rival = (correspondent: typeof one) => async () => {
      const recorded = await store.contacts.record(alias, [correspondent], NO_LIMITS);
      if (recorded.isOk()) results.push(recorded.value[0]?.id);
      return recorded;
    };
    return {
      rivals: [rival(one), rival(other)],
      verify: async (succeeded) => {
        expectEqual(succeeded, [true, true]);
        const [contact, ...others] = await walk(contactsOf(store, alias));
        expectEqual(others, []);
        expectEqual(results, [contact?.id, contact?.id]);
        expectEqual([contact?.lastReceivedAt, contact?.lastSentAt], [NOW, NOW]);
        if (contact !== undefined) expectEqual(await findContact(store, contact), contact);
        for (const { id } of [one, other]) {
          if (id !== contact?.id) expectEqual(valueOf(await store.contacts.find(id)), null);
        }
      },
    };
  }),

  raceCheck(
    "a contact recorded in two ways at once has both times, and keeps what is saved in the meantime",
    async ({ store, account, home }) => {
      const alias = await storeAlias(store, account, [home]);
      const contact = await recordNew(store, alias);
      const { email } = contact;
      const saved = changedContact(contact, { blocking: "reject" });
      return {
        rivals: [
          () =>
            store.contacts.record(
              alias,
              [newCorrespondent({ email, kind: "sent" }), newCorrespondent({ email, at: NOW + HOUR })],
              NO_LIMITS,
            ),
          () => store.contacts.save(contact, saved),
        ],
        verify: async (succeeded) => {
          expectEqual(succeeded, [true, true]);
          const right = { ...saved, lastSentAt: NOW, lastReceivedAt: NOW + HOUR };
          expectEqual(await findContact(store, contact), right);
          expectEqual(await walk(contactsOf(store, alias)), [right]);
        },
      };
    },
  ),

  raceCheck("a contact that is named while it writes has written", async ({ store, account, home }) => {
    const alias = await storeAlias(store, account, [home]);
    const { email } = await recordNew(store, alias, { kind: "named" });
    const rival = (kind: "named" | "received") => () =>
      store.contacts.record(alias, [newCorrespondent({ email, kind, at: NOW + HOUR })], NO_LIMITS);
    return {
      rivals: [rival("named"), rival("received")],
      verify: async (succeeded) => {
        expectEqual(succeeded, [true, true]);
        const found = await walk(contactsOf(store, alias));
        expectEqual(
          found.map(({ onlyNamed, lastReceivedAt }) => ({ onlyNamed, lastReceivedAt })),
          [{ onlyNamed: false, lastReceivedAt: NOW + HOUR }],
        );
      },
    };
  }),

  raceCheck("two saves of a contact from the same version race: exactly one succeeds", async (setting) => {
    const { store, account, home } = setting;
    const contact = await recordNew(store, await storeAlias(store, account, [home]));
    const [one, other] = (["reject", "discard"] as const).map((blocking) =>
      changedContact(contact, { blocking }),
    );
    if (!(one && other)) throw new Error("the samples are incomplete");
    return {
      rivals: [() => store.contacts.save(contact, one), () => store.contacts.save(contact, other)],
      verify: async (succeeded) => {
        expectOne(succeeded);
        expectEqual(await findContact(store, contact), succeeded[0] ? one : other);
      },
    };
  }),

  raceCheck("recording an address races with erasing its alias: no contact is left", async (setting) => {
    const { store, account, home } = setting;
    const alias = await storeAlias(store, account, [home]);
    const [known, fresh] = [await recordNew(store, alias), newCorrespondent()];
    const again = newCorrespondent({ email: known.email, kind: "sent" });
    return {
      rivals: [
        () => store.contacts.record(alias, [fresh, again], NO_LIMITS),
        () => store.aliases.erase(alias),
      ],
      verify: async ([, isErased]) => {
        expectEqual(isErased, true);
        expectEqual(await findAlias(store, alias), null);
        for (const { id } of [known, fresh]) expectEqual(valueOf(await store.contacts.find(id)), null);
        expectEqual(await walk(contactsOf(store, alias)), []);
        const next = await storeAlias(store, account, [home], { id: alias.id });
        expectEqual(await walk(contactsOf(store, next)), []);
      },
    };
  }),

  raceCheck(
    "recording addresses races with deleting their alias: a deleted alias keeps the contacts that it had",
    async ({ store, account, home }) => {
      const alias = await storeAlias(store, account, [home]);
      const known = await recordNew(store, alias);
      const again = newCorrespondent({ email: known.email, kind: "added" });
      return deletionRace(store, alias, () =>
        // With a limit, a store has more to do between reading and writing.
        store.contacts.record(alias, [again, newCorrespondent()], { contacts: 2 }),
      );
    },
  ),

  raceCheck(
    "blocking a contact races with deleting its alias: a deleted alias keeps the contacts that it had",
    async ({ store, account, home }) => {
      const alias = await storeAlias(store, account, [home]);
      const contact = await recordNew(store, alias);
      const blocked = changedContact(contact, { blocking: "reject" });
      return deletionRace(store, alias, () => store.contacts.save(contact, blocked));
    },
  ),

  raceCheck("creating a contact races with erasing its alias: no contact is left", async (setting) => {
    const { store, account, home } = setting;
    const alias = await storeAlias(store, account, [home]);
    const contact = newContact(alias);
    return {
      rivals: [() => store.contacts.create(contact), () => store.aliases.erase(alias)],
      verify: async ([, isErased]) => {
        expectEqual(isErased, true);
        expectEqual(await findContact(store, contact), null);
        const next = await storeAlias(store, account, [home], { id: alias.id });
        expectEqual(await walk(contactsOf(store, next)), []);
      },
    };
  }),

  raceCheck(
    "two contacts with the same address are created at once: exactly one succeeds",
    async (setting) => {
      const { store, account, home } = setting;
      const alias = await storeAlias(store, account, [home]);
      const one = newContact(alias);
      const other = newContact(alias, { email: one.email });
      return {
        rivals: [() => store.contacts.create(one), () => store.contacts.create(other)],
        verify: async (succeeded) => {
          expectOne(succeeded);
          expectEqual(await walk(contactsOf(store, alias)), [succeeded[0] ? one : other]);
          expectEqual(await findContact(store, succeeded[0] ? other : one), null);
        },
      };
    },
  ),

  raceCheck(
    "blocking a contact races with its eviction: it is gone, or it stays and is blocked",
    async ({ store, account, home }) => {
      const alias = await storeAlias(store, account, [home]);
      const contact = await recordNew(store, alias);
      const blocked = changedContact(contact, { blocking: "reject" });
      const fresh = newCorrespondent({ at: NOW + HOUR });
      return {
        rivals: [
          () => store.contacts.record(alias, [fresh], { contacts: 1 }),
          () => store.contacts.save(contact, blocked),
        ],
        verify: async ([isMet, isSaved]) => {
          expectEqual(isMet, true);
          expectEqual(await findContact(store, contact), isSaved ? blocked : null);
          const listed = (await walk(contactsOf(store, alias))).map(({ id }) => id);
          expectEqual(listed.includes(contact.id), isSaved);
          if (!isSaved) expectEqual(listed, [fresh.id]);
        },
      };
    },
  ),

  check(
    "many addresses recorded at once are all stored, and the next call keeps to the limit",
    async (store) => {
      const account = newAccount();
      const home = await storeRecipient(store, account);
      await fc.assert(
        fc.asyncProperty(headStarts(6), fc.integer({ min: 1, max: 3 }), async (starts, limit) => {
          const alias = await storeAlias(store, account, [home]);
          const answered = await recordNew(store, alias, { kind: "sent" });
          const correspondents = Array.from({ length: 6 }, (_, n) =>
            newCorrespondent({ at: NOW + n * HOUR }),
          );
          await startAll(
            correspondents.map(
              (correspondent) => () => store.contacts.record(alias, [correspondent], { contacts: limit }),
            ),
            starts,
          );
          const last = newCorrespondent({ at: NOW + 9 * HOUR });
          const [recorded] = valueOf(await store.contacts.record(alias, [last], { contacts: limit }));
          const listed = await walk(contactsOf(store, alias));
          expectEqual(recorded?.id, limit === 1 ? undefined : last.id);
          expectEqual(listed.length, limit);
          if (!listed.some(({ id }) => id === answered.id))
            throw new Error("a contact that was written to was evicted");
          await saveContact(store, answered, changedContact(answered, { blocking: "reject" }));
        }),
        runs(25),
      );
    },
  ),
];
