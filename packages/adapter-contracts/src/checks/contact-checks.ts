import {
  Alias,
  Contact,
  compareIds,
  EmailAddress,
  isNonEmpty,
  NO_LIMITS,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  parseEventId,
  type Store,
} from "@postern/core";
import {
  type AliasKey,
  type ContactSettings,
  type Correspondent,
  MAX_CORRESPONDENTS,
} from "@postern/core/store";
import { KEY_LIKE_IDS, valueOf } from "@postern/core/testing";
import { type Check, checkOf } from "../check.ts";
import { expectEqual, expectMatch, expectSameItems, isEqual } from "../expect.ts";
import {
  ADDRESS_TAKEN,
  ALIAS_DELETED,
  ALIAS_NOT_FOUND,
  CONFLICT,
  changed,
  changedContact,
  deleted,
  findByEmails,
  findContact,
  NOW,
  newAccount,
  newAlias,
  newContact,
  newContactId,
  newCorrespondent,
  newMeeting,
  newRecipient,
  record,
  recordNew,
  saveAlias,
  saveContact,
  storeAlias,
  storeRecipient,
  upperCase,
  withRecipients,
} from "../samples.ts";
import { aliasesOf, contactsOf, contactsOfAccount, walk } from "../walk.ts";

const check = checkOf("contacts");

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const storeNewAlias = async (store: Store) => {
  const account = newAccount();
  return storeAlias(store, account, [await storeRecipient(store, account)]);
};

/** Meets all of them in one call, without a limit. */
const meetAll = async (store: Store, alias: AliasKey, correspondents: readonly Correspondent[]) => {
  if (!isNonEmpty(correspondents)) throw new Error("at least one correspondent is needed");
  return valueOf(await store.contacts.record(alias, correspondents, NO_LIMITS));
};

/** Throws unless every way of reading returns the contact. */
const expectContact = async (store: Store, contact: Contact): Promise<void> => {
  const { id, email, createdAt } = contact;
  const alias = { account: contact.account, id: contact.alias };
  // So early that no time is stored.
  const [recorded] = await meetAll(store, alias, [
    { id: newContactId(), email, kind: "named", at: createdAt },
  ]);
  expectEqual(
    {
      find: await findContact(store, contact),
      findByEmails: await findByEmails(store, alias, [email]),
      list: (await walk(contactsOf(store, alias))).filter((each) => each.id === id),
      record: recorded,
    },
    { find: contact, findByEmails: [contact], list: [contact], record: contact },
  );
};

/** Two contacts that differ in every field, so that no default value fits both. */
const twoContacts = (one: AliasKey, two: AliasKey): readonly [Required<Contact>, Required<Contact>] => {
  const [first, second] = [newContact(one), newContact(two)];
  return [
    {
      id: first.id,
      account: one.account,
      alias: one.id,
      email: first.email,
      blocking: "none",
      createdAt: NOW + 1,
      addedAt: null,
      onlyNamed: true,
      lastReceivedAt: NOW + 2,
      lastSentAt: null,
      version: 1,
    },
    {
      id: second.id,
      account: two.account,
      alias: two.id,
      email: second.email,
      blocking: "discard",
      createdAt: NOW + 11,
      addedAt: NOW + 12,
      onlyNamed: false,
      lastReceivedAt: NOW + 13,
      lastSentAt: NOW + 14,
      version: 7,
    },
  ];
};

const contactChanges: {
  readonly [Name in keyof Omit<ContactSettings, "version">]-?: readonly ContactSettings[Name][];
} = {
  blocking: ["reject", "discard", "none"],
};

export const contactChecks: readonly Check[] = [
  check("meet returns the alias of the message as it is now", async (store) => {
    const account = newAccount();
    const [home, work] = [await storeRecipient(store, account), await storeRecipient(store, account)];
    let alias = await storeAlias(store, account, [home]);
    const expectMet = async () => {
      const correspondent = newCorrespondent();
      const contact = Contact.of(alias, correspondent);
      const meeting = { author: correspondent.email, correspondents: [correspondent] };
      expectEqual(valueOf(await store.contacts.meet(alias, meeting, NO_LIMITS)), {
        alias: Alias.state(alias),
        contacts: [contact],
        isBlocked: false,
      });
      expectEqual(await findContact(store, contact), contact);
    };
    await expectMet();
    valueOf(
      await store.aliases.recordOutcome(alias, {
        id: valueOf(parseEventId("event")),
        outcome: "sent",
        at: NOW,
      }),
    );
    alias = await saveAlias(store, alias, withRecipients(alias, [work, home]));
    await expectMet();
    const gone = await saveAlias(store, alias, deleted(alias));
    expectMatch(await store.contacts.meet(gone, newMeeting(), NO_LIMITS), ALIAS_DELETED);
    alias = await saveAlias(store, gone, changed(gone, { deletedAt: null }));
    await expectMet();
    // Neither an author nor anybody else is known.
    const nobody = { author: null, correspondents: [] };
    expectEqual(valueOf(await store.contacts.meet(alias, nobody, NO_LIMITS)), {
      alias: Alias.state(alias),
      contacts: [],
      isBlocked: false,
    });
    valueOf(await store.aliases.erase(alias));
    expectMatch(await store.contacts.meet(alias, newMeeting(), NO_LIMITS), ALIAS_NOT_FOUND);
  }),

  check("every field of a created contact is read back", async (store) => {
    const contacts = twoContacts(await storeNewAlias(store), await storeNewAlias(store));
    const [one, two] = contacts.map((contact) => new Map<string, unknown>(Object.entries(contact)));
    for (const [field, value] of one ?? []) {
      if (isEqual(value, two?.get(field))) throw new Error(`the samples have the same ${field}`);
    }
    for (const contact of contacts) {
      valueOf(await store.contacts.create(contact));
      await expectContact(store, contact);
    }
  }),

  check("every setting of a contact is saved", async (store) => {
    let stored = await recordNew(store, await storeNewAlias(store));
    for (const blocking of contactChanges.blocking) {
      stored = await saveContact(store, stored, changedContact(stored, { blocking }));
      await expectContact(store, stored);
    }
  }),

  check("saving a contact writes neither its times nor the fields that never change", async (store) => {
    const alias = await storeNewAlias(store);
    const contact = await recordNew(store, alias);
    const recorded = await record(
      store,
      alias,
      newCorrespondent({ email: contact.email, kind: "sent", at: NOW + 1 }),
    );
    const after = changedContact(recorded, { blocking: "reject" });
    const { email } = newCorrespondent();
    await saveContact(store, contact, {
      ...after,
      email,
      createdAt: NOW + 99,
      addedAt: NOW,
      lastReceivedAt: NOW + 98,
      lastSentAt: NOW + 99,
    });
    await expectContact(store, after);
    await recordNew(store, alias, { email });
  }),

  check("saving a contact at another version, or one that does not exist, changes nothing", async (store) => {
    const alias = await storeNewAlias(store);
    const contact = await recordNew(store, alias);
    const after = await saveContact(store, contact, changedContact(contact, { blocking: "reject" }));
    for (const before of [contact, changedContact(after, {}), newContact(alias)]) {
      const save = await store.contacts.save(before, changedContact(before, { blocking: "discard" }));
      expectMatch(save, CONFLICT);
    }
    await expectContact(store, after);
    expectEqual(await walk(contactsOf(store, alias)), [after]);
  }),

  check(
    "an address is one contact of the alias, with the id that it was first recorded with",
    async (store) => {
      const alias = await storeNewAlias(store);
      const correspondent = newCorrespondent();
      const contact = await record(store, alias, correspondent);
      expectEqual(contact, {
        id: correspondent.id,
        account: alias.account,
        alias: alias.id,
        email: correspondent.email,
        blocking: "none",
        createdAt: NOW,
        addedAt: null,
        onlyNamed: false,
        lastReceivedAt: NOW,
        lastSentAt: null,
        version: 1,
      });
      for (const email of [correspondent.email, upperCase(correspondent.email)]) {
        expectEqual(await recordNew(store, alias, { email }), contact);
      }
      expectEqual(await walk(contactsOf(store, alias)), [contact]);
      await expectContact(store, contact);
    },
  ),

  check("each kind of correspondent sets its own time of a contact", async (store) => {
    const alias = await storeNewAlias(store);
    for (const [kind, times] of [
      ["received", { addedAt: null, lastReceivedAt: NOW, lastSentAt: null }],
      ["sent", { addedAt: null, lastReceivedAt: null, lastSentAt: NOW }],
      ["added", { addedAt: NOW, lastReceivedAt: null, lastSentAt: null }],
    ] as const) {
      const contact = await recordNew(store, alias, { kind });
      expectMatch(contact, times);
      await expectFound(store, contact);
      // The first time of another kind counts, even if it is earlier.
      const { email } = contact;
      const others = (["received", "sent", "added"] as const).filter((other) => other !== kind);
      for (const other of others) await recordNew(store, alias, { email, kind: other, at: NOW - 1 });
      await expectFound(store, {
        ...contact,
        addedAt: times.addedAt ?? NOW - 1,
        lastReceivedAt: times.lastReceivedAt ?? NOW - 1,
        lastSentAt: times.lastSentAt ?? NOW - 1,
      });
    }
  }),

  check("a contact that was only named is one until it writes, is written to or is added", async (store) => {
    const alias = await storeNewAlias(store);
    for (const kind of ["received", "sent", "added"] as const) {
      const named = await recordNew(store, alias, { kind: "named" });
      expectMatch(named, { onlyNamed: true, addedAt: null, lastReceivedAt: NOW, lastSentAt: null });
      await expectFound(store, named);
      const { email } = named;
      const again = await recordNew(store, alias, { email, kind: "named", at: NOW + 2 * HOUR });
      expectEqual(again, { ...named, lastReceivedAt: NOW + 2 * HOUR });
      await expectFound(store, again);
      // Even if it changes nothing else.
      const met = await recordNew(store, alias, { email, kind, at: NOW + 2 * HOUR });
      expectMatch(met, { onlyNamed: false, lastReceivedAt: NOW + 2 * HOUR });
      await expectFound(store, met);
      const last = await recordNew(store, alias, { email, kind: "named", at: NOW + 4 * HOUR });
      expectEqual(last, { ...met, lastReceivedAt: NOW + 4 * HOUR });
      await expectFound(store, last);

      // In one call.
      const both = newCorrespondent({ kind: "named" });
      const [twice] = await meetAll(store, alias, [both, { ...both, kind }]);
      expectMatch(twice ?? {}, { onlyNamed: false, lastReceivedAt: NOW });
    }
  }),

  check("a contact that is recorded again has the later time, to within an hour", async (store) => {
    const alias = await storeNewAlias(store);
    for (const [kind, field] of [
      ["received", "lastReceivedAt"],
      ["sent", "lastSentAt"],
    ] as const) {
      const contact = await recordNew(store, alias, { kind });
      for (const [at, stored] of [
        [NOW - 2 * HOUR, NOW],
        [NOW + HOUR - 1, NOW],
        [NOW + HOUR, NOW + HOUR],
        [NOW, NOW + HOUR],
        [NOW + 3 * HOUR, NOW + 3 * HOUR],
      ] as const) {
        const recorded = await recordNew(store, alias, { email: contact.email, kind, at });
        expectEqual(recorded, { ...contact, [field]: stored });
        await expectFound(store, recorded);
      }
    }
    const added = await recordNew(store, alias, { kind: "added" });
    for (const at of [NOW + 2 * HOUR, NOW - 2 * HOUR]) {
      expectEqual(await recordNew(store, alias, { email: added.email, kind: "added", at }), added);
    }
    await expectFound(store, added);
  }),

  check("one call records known and new addresses, each as often as it likes, in order", async (store) => {
    const alias = await storeNewAlias(store);
    const known = await recordNew(store, alias);
    const fresh = newCorrespondent({ at: NOW + 2 * HOUR });
    const correspondents: readonly Correspondent[] = [
      fresh,
      newCorrespondent({ email: known.email, kind: "sent", at: NOW + 7 }),
      newCorrespondent({ email: upperCase(fresh.email), at: NOW + 2 * HOUR + 1 }),
      newCorrespondent({ email: fresh.email, kind: "added", at: NOW + 9 }),
      newCorrespondent({ email: known.email, at: NOW + HOUR }),
    ];
    const one = { ...known, lastSentAt: NOW + 7, lastReceivedAt: NOW + HOUR };
    const two = {
      ...known,
      id: fresh.id,
      email: fresh.email,
      createdAt: NOW + 2 * HOUR,
      addedAt: NOW + 9,
      lastReceivedAt: NOW + 2 * HOUR + 1,
    };
    expectEqual(await meetAll(store, alias, correspondents), [two, one, two, two, one]);
    expectEqual(await walk(contactsOf(store, alias)), [two, one]);
  }),

  check("one call records 30 addresses", async (store) => {
    const alias = await storeNewAlias(store);
    const correspondents = Array.from({ length: MAX_CORRESPONDENTS }, () => newCorrespondent());
    const recorded = await meetAll(store, alias, correspondents);
    expectEqual(
      recorded.map((contact) => [contact?.id, contact?.email]),
      correspondents.map(({ id, email }) => [id, email]),
    );
    const later = correspondents.map(({ email }) => newCorrespondent({ email, kind: "sent" }));
    const again = recorded.map((contact) => contact && { ...contact, lastSentAt: NOW });
    expectEqual(await meetAll(store, alias, later), again);
    expectEqual((await walk(contactsOf(store, alias), 7)).length, MAX_CORRESPONDENTS);
  }),

  check(
    "contacts are found by their addresses in any case, up to 100 at once, and are not used by it",
    async (store) => {
      const [alias, other] = [await storeNewAlias(store), await storeNewAlias(store)];
      const contacts: Contact[] = [];
      for (let calls = 0; calls < 4; calls += 1) {
        const correspondents = Array.from({ length: 25 }, () => newCorrespondent());
        for (const contact of await meetAll(store, alias, correspondents))
          if (contact) contacts.push(contact);
      }
      const emails = contacts.map(({ email }) => email);
      expectEqual(emails.length, 100);
      for (const change of [upperCase, EmailAddress.key]) {
        expectSameItems(await findByEmails(store, alias, emails.map(change)), contacts);
      }
      const [one, ...others] = contacts.toReversed();
      if (one === undefined) throw new Error("there are no contacts");
      const { email: foreign } = await recordNew(store, other);
      expectEqual(await findByEmails(store, alias, [foreign, one.email, newCorrespondent().email]), [one]);
      expectEqual(await findByEmails(store, { ...alias, account: other.account }, [one.email]), []);
      const twin = await recordNew(store, other, { email: upperCase(one.email) });
      const blocked = await saveContact(store, one, changedContact(one, { blocking: "reject" }));
      expectEqual(await findByEmails(store, other, [one.email]), [twin]);
      expectSameItems(await findByEmails(store, alias, emails), [blocked, ...others]);
    },
  ),

  check("an id belongs to one contact, and no other contact gets it", async (store) => {
    const [alias, other] = [await storeNewAlias(store), await storeNewAlias(store)];
    const contact = await recordNew(store, alias);
    const { id } = contact;
    for (const place of [alias, other]) {
      const [first, second] = [newCorrespondent(), newCorrespondent({ id })];
      const [stored, refused] = await meetAll(store, place, [first, second]);
      expectMatch({ stored, refused }, { stored: { id: first.id }, refused: null });
      expectMatch(await store.contacts.create(newContact(place, { id })), CONFLICT);
    }
    const twin = newCorrespondent();
    const [first, second] = await meetAll(store, other, [twin, newCorrespondent({ id: twin.id })]);
    expectMatch({ first, second }, { first: { email: twin.email }, second: null });
    await expectContact(store, contact);
    expectEqual((await walk(contactsOf(store, alias))).length, 2);
    expectEqual((await walk(contactsOf(store, other))).length, 2);
  }),

  check("an alias that does not exist has no contacts, and gets none", async (store) => {
    const alias = await storeNewAlias(store);
    const unknown = newAlias(alias.account, [newRecipient(alias.account)]);
    for (const place of [unknown, { ...alias, account: newAccount() }]) {
      const correspondent = newCorrespondent();
      const refused = await store.contacts.record(place, [correspondent], NO_LIMITS);
      expectMatch(refused, ALIAS_NOT_FOUND);
      expectMatch(await store.contacts.create(newContact(place, { id: correspondent.id })), ALIAS_NOT_FOUND);
      expectEqual(await findContact(store, correspondent), null);
      expectEqual(await findByEmails(store, place, [correspondent.email]), []);
      expectEqual(await walk(contactsOf(store, place)), []);
    }
    expectEqual(await walk(contactsOf(store, alias)), []);
  }),

  check("a contact cannot be created with the address of another one of the alias", async (store) => {
    const alias = await storeNewAlias(store);
    const contact = await recordNew(store, alias);
    for (const email of [contact.email, upperCase(contact.email)]) {
      const twin = newContact(alias, { email });
      expectMatch(await store.contacts.create(twin), ADDRESS_TAKEN);
      expectEqual(await findContact(store, twin), null);
    }
    await expectContact(store, contact);
  }),

  check(
    "aliases with similar ids, of accounts with similar ids, have contacts of their own",
    async (store) => {
      const { email } = newCorrespondent();
      const stored: Contact[] = [];
      for (const [i, id] of KEY_LIKE_IDS.entries()) {
        const account = valueOf(parseAccountId(KEY_LIKE_IDS[i % 7]));
        const home = await storeRecipient(store, account, {
          email: valueOf(parseEmailAddress(`home-${i}@recipient.example`)),
        });
        const alias = await storeAlias(store, account, [home], { id: valueOf(parseAliasId(id)) });
        stored.push(await recordNew(store, alias, { email }));
      }
      for (const contact of stored) {
        await expectFound(store, contact);
        const alias = { account: contact.account, id: contact.alias };
        expectEqual(await walk(contactsOf(store, alias)), [contact]);
        expectEqual(await findByEmails(store, alias, [email]), [contact]);
      }
    },
  ),

  check("pages of any size list the contacts of an alias once, newest first", async (store) => {
    const [alias, other] = [await storeNewAlias(store), await storeNewAlias(store)];
    await recordNew(store, other);
    const contacts: Contact[] = [];
    // Several have the same time, and the order of creation is not that of their ids.
    for (const at of [4, 1, 3, 1, 10, 0, 3, 11, 2]) {
      contacts.push(await recordNew(store, alias, { at: at * HOUR }));
    }
    const newestFirst = contacts.toSorted((a, b) => b.createdAt - a.createdAt || compareIds(b.id, a.id));
    for (let limit = 1; limit <= 10; limit += 1) {
      expectEqual(await walk(contactsOf(store, alias), limit), newestFirst);
    }
    const list = contactsOf(store, alias);
    for (let limit = 1; limit <= 10; limit += 1) {
      const { items, next } = valueOf(await list({ limit, after: null }));
      expectEqual(
        { items, isLast: next === null },
        { items: newestFirst.slice(0, limit), isLast: limit >= 9 },
      );
    }
  }),

  check("the contacts of all aliases of an account are listed once, and no others", async (store) => {
    const account = newAccount();
    const home = await storeRecipient(store, account);
    await recordNew(store, await storeNewAlias(store));
    expectEqual(await walk(contactsOfAccount(store, account)), []);
    const stored: Contact[] = [];
    for (let n = 0; n < 4; n += 1) {
      const alias = await storeAlias(store, account, [home]);
      for (let contacts = 0; contacts < n * 2; contacts += 1) stored.push(await recordNew(store, alias));
      if (n === 1) await saveAlias(store, alias, deleted(alias));
    }
    const erased = await storeAlias(store, account, [home]);
    await recordNew(store, erased);
    valueOf(await store.aliases.erase(erased));
    for (const limit of [1, 3, 12, 100]) {
      expectSameItems(await walk(contactsOfAccount(store, account), limit), stored);
    }
  }),

  check("changes to an alias do not affect its contacts, unless it is erased", async (store) => {
    const account = newAccount();
    const [home, work] = [await storeRecipient(store, account), await storeRecipient(store, account)];
    const alias = await storeAlias(store, account, [home]);
    const contact = await recordNew(store, alias);
    const replaced = await saveAlias(store, alias, withRecipients(alias, [work]));
    await expectContact(store, contact);
    const gone = await saveAlias(store, replaced, deleted(replaced));
    await expectFound(store, contact);
    expectEqual(await findByEmails(store, alias, [contact.email]), [contact]);
    expectEqual(await walk(contactsOf(store, alias)), [contact]);
    const back = await saveAlias(store, gone, changed(gone, { deletedAt: null }));
    await expectContact(store, contact);
    expectEqual(await walk(aliasesOf(store, account)), [back]);
  }),

  check("contacts of a deleted alias do not change until it is restored, and it gets none", async (store) => {
    const alias = await storeNewAlias(store);
    const contact = await recordNew(store, alias);
    const after = changedContact(contact, { blocking: "reject" });
    const gone = await saveAlias(store, alias, deleted(alias));
    for (const kind of ["received", "sent", "added"] as const) {
      const fresh = newCorrespondent({ kind, at: NOW + 2 * HOUR });
      const again = { ...fresh, email: contact.email };
      for (const correspondents of [[fresh], [again], [again, fresh]] as const) {
        expectMatch(await store.contacts.record(alias, correspondents, NO_LIMITS), ALIAS_DELETED);
      }
      expectEqual(await findContact(store, fresh), null);
    }
    expectMatch(await store.contacts.save(contact, after), CONFLICT);
    await expectFound(store, contact);
    expectEqual(await walk(contactsOf(store, alias)), [contact]);
    // Contacts can still be moved here from another store.
    const moved = newContact(alias);
    valueOf(await store.contacts.create(moved));
    await expectFound(store, moved);

    await saveAlias(store, gone, changed(gone, { deletedAt: null }));
    await saveContact(store, contact, after);
    const fresh = await recordNew(store, alias);
    expectSameItems(await walk(contactsOf(store, alias)), [after, moved, fresh]);
  }),

  check("an erased alias has no contacts, and an alias with its id begins with none", async (store) => {
    const account = newAccount();
    const home = await storeRecipient(store, account);
    const [live, other] = [
      await storeAlias(store, account, [home]),
      await storeAlias(store, account, [home]),
    ];
    const neighbor = await storeAlias(store, account, [home]);
    const kept = await recordNew(store, neighbor);
    for (const alias of [live, other]) {
      const contacts: Contact[] = [];
      for (let n = 0; n < 40; n += 1) contacts.push(await recordNew(store, alias));
      const [answered = newContact(alias)] = contacts;
      const blocked = await saveContact(store, answered, changedContact(answered, { blocking: "reject" }));
      valueOf(
        await store.aliases.erase(alias === live ? live : await saveAlias(store, other, deleted(other))),
      );
      for (const contact of contacts) expectEqual(await findContact(store, contact), null);
      const emails = contacts.map(({ email }) => email);
      expectEqual(await findByEmails(store, alias, emails), []);
      expectEqual(await walk(contactsOf(store, alias)), []);
      expectMatch(await store.contacts.record(alias, [newCorrespondent()], NO_LIMITS), ALIAS_NOT_FOUND);
      expectMatch(await store.contacts.save(blocked, changedContact(blocked, {})), CONFLICT);
      await storeAlias(store, account, [home], { id: alias.id });
      expectEqual(await findByEmails(store, alias, emails), []);
      expectEqual(await walk(contactsOf(store, alias)), []);
      // Neither the ids nor the addresses are taken.
      valueOf(await store.contacts.create(answered));
    }
    await expectContact(store, kept);
  }),

  check("an alias that is not erased because of its version keeps its contacts", async (store) => {
    const alias = await storeNewAlias(store);
    const contact = await recordNew(store, alias);
    const after = await saveAlias(store, alias, changed(alias, { description: "after" }));
    expectMatch(await store.aliases.erase(alias), CONFLICT);
    await expectContact(store, contact);
    valueOf(await store.aliases.erase(after));
    expectEqual(await findContact(store, contact), null);
  }),
];

/** Throws unless the contact is stored exactly like this. */
async function expectFound(store: Store, contact: Contact): Promise<void> {
  expectEqual(await findContact(store, contact), contact);
}
