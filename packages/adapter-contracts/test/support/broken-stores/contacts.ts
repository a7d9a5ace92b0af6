import {
  type AliasState,
  Contact,
  type ContactId,
  EmailAddress,
  isNonEmpty,
  NO_LIMITS,
  ok,
  parseAccountId,
  parseEmailAddress,
} from "@postern/core";
import { type AliasKey, type Correspondent, RecordedContacts, Tallies } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { newContactId } from "../../../src/samples.ts";
import {
  after,
  answering,
  before,
  calling,
  changingFirst,
  changingSecond,
  denying,
  failingIf,
  finding,
  firstOf,
  ignoringIf,
  listing,
} from "../faults.ts";
import type { Changes } from "../intercepted.ts";
import type { ContactRules } from "../plain-store/contacts.ts";
import { PACES } from "../plain-store/facts.ts";
import { plainStore } from "../plain-store/index.ts";
import { ALL, keyOf, storedAlias } from "../stored.ts";
import { type Broken, endingWithEmptyPage, flaw, flawOf, flawsBy, listingUnlessDeleted } from "./broken.ts";

const MEETING = "meet returns the alias of the message as it is now";
const FIELDS = "every field of a created contact is read back";
const SETTINGS = "every setting of a contact is saved";
const ONLY_SETTINGS = "saving a contact writes neither its times nor the fields that never change";
const VERSION = "saving a contact at another version, or one that does not exist, changes nothing";
const ONE = "an address is one contact of the alias, with the id that it was first recorded with";
const KINDS = "each kind of correspondent sets its own time of a contact";
const HOUR = "a contact that is recorded again has the later time, to within an hour";
const ONE_CALL = "one call records known and new addresses, each as often as it likes, in order";
const THIRTY = "one call records 30 addresses";
const FOUND = "contacts are found by their addresses in any case, up to 100 at once, and are not used by it";
const ID = "an id belongs to one contact, and no other contact gets it";
const NO_ALIAS = "an alias that does not exist has no contacts, and gets none";
const CREATED_TWICE = "a contact cannot be created with the address of another one of the alias";
const ALIKE = "aliases with similar ids, of accounts with similar ids, have contacts of their own";
const PAGES = "pages of any size list the contacts of an alias once, newest first";
const ACCOUNT = "the contacts of all aliases of an account are listed once, and no others";
const KEPT = "changes to an alias do not affect its contacts, unless it is erased";
const DELETED = "contacts of a deleted alias do not change until it is restored, and it gets none";
const ERASED = "an erased alias has no contacts, and an alias with its id begins with none";
const NOT_ERASED = "an alias that is not erased because of its version keeps its contacts";
const LONGEST = "at the limit, the contact that has been unused for longest is evicted for a new one";
const NAMED = "a contact that was only named is one until it writes, is written to or is added";
const NAMED_FIRST =
  "contacts that were only named are evicted first, and none is evicted for them that mail has come from";
const HUNDRED = "an alias gets at most 100 contacts an hour that were only named, and any others";
const NEVER = "contacts that were written to, added or blocked are never evicted";
const TOGETHER = "contacts of one call never evict each other";
const NO_LIMIT = "a limit of 0 contacts means no limit, and a lower one than before evicts contacts";
const CREATED = "creating contacts has no limit";
const MODEL =
  "after every step of a random sequence of calls about contacts, the store matches a plain model";
const BLOCKED = "blocking a contact races with its eviction: it is gone, or it stays and is blocked";
const RECORDED_DELETED =
  "recording addresses races with deleting their alias: a deleted alias keeps the contacts that it had";
const BLOCKED_DELETED =
  "blocking a contact races with deleting its alias: a deleted alias keeps the contacts that it had";
const MANY = "many addresses recorded at once are all stored, and the next call keeps to the limit";

/** Meets correspondents other than those that are given. */
const recording = (
  change: (correspondent: Correspondent) => Correspondent | Promise<Correspondent>,
): Changes => ({
  "contacts.record": async (record, alias, [first, ...others], limits) =>
    record(alias, [await change(first), ...(await Promise.all(others.map(change)))], limits),
});

const recorded = flawsBy(recording);

/** Finds and lists contacts other than those that are stored. */
const reading = (change: (contact: Contact) => Contact) =>
  ({
    "contacts.find": finding((contact) => change(contact)),
    "contacts.list": listing((items) => items.map(change)),
  }) satisfies Changes;

const fold = ({ account, id }: AliasKey): AliasKey => ({
  account: valueOf(parseAccountId(account.toLowerCase())),
  id,
});

const plain = flawOf((contacts?: Partial<ContactRules>) => plainStore({ contacts }));

/** The contacts are read a turn before any are written. */
const early = { early: "contacts in contacts.record", pace: PACES["1 turn"] };
const hasty = flawOf(plainStore);

export const brokenContacts: readonly Broken[] = [
  flaw("a created contact loses when it was added", [FIELDS], {
    "contacts.create": changingFirst((contact) => ({ ...contact, addedAt: null })),
  }),
  flaw("a created contact begins with version 1", [FIELDS], {
    "contacts.create": changingFirst((contact) => ({ ...contact, version: 1 })),
  }),
  flaw(
    "mail that is thrown away is refused",
    [FIELDS, SETTINGS],
    reading((contact) => (contact.blocking === "discard" ? { ...contact, blocking: "reject" } : contact)),
  ),
  flaw("the blocking of a contact is not saved", [SETTINGS], {
    "contacts.save": changingSecond((after, { blocking }) => ({ ...after, blocking })),
  }),
  flaw("a save writes the times", [ONLY_SETTINGS], () => {
    const saved = new Map<ContactId, number | null>();
    return {
      ...reading((contact) => ({ ...contact, lastSentAt: saved.get(contact.id) ?? contact.lastSentAt })),
      "contacts.save": after(({ id }, { lastSentAt }) => saved.set(id, lastSentAt)),
    };
  }),
  flaw("a save does not compare versions", [VERSION], ({ contacts }) => ({
    "contacts.save": changingFirst(async (from) => valueOf(await contacts.find(from.id)) ?? from),
  })),
  flaw("a save of a contact that does not exist succeeds", [VERSION], ({ contacts }) => ({
    "contacts.save": ignoringIf(async ({ id }) => valueOf(await contacts.find(id)) === null),
  })),
  recorded("an address in upper case is another contact", [ONE], (correspondent) =>
    correspondent.email.startsWith("CONTACT")
      ? { ...correspondent, email: valueOf(parseEmailAddress(`x${correspondent.email}`)) }
      : correspondent,
  ),
  flaw("a contact has the id that it was last recorded with", [ONE], {
    "contacts.record": answering((recorded, _alias, correspondents) =>
      recorded.map((contact, n) => contact && { ...contact, id: correspondents[n]?.id ?? contact.id }),
    ),
  }),
  recorded("received mail counts as sent", [ONE, KINDS], (correspondent) =>
    correspondent.kind === "received" ? { ...correspondent, kind: "sent" } : correspondent,
  ),
  recorded("contacts that are added are as if written to", [KINDS], (correspondent) =>
    correspondent.kind === "added" ? { ...correspondent, kind: "sent" } : correspondent,
  ),
  flaw("the time of the last correspondent is stored, even if it is earlier", [HOUR], () => {
    const last = new Map<ContactId, number>();
    const shown = (contact: Contact): Contact => ({
      ...contact,
      lastReceivedAt: last.get(contact.id) ?? contact.lastReceivedAt,
    });
    return {
      "contacts.record": answering((recorded, _alias, correspondents) =>
        recorded.map((contact, n) => {
          const { kind, at = 0 } = correspondents[n] ?? {};
          if (contact !== null && kind === "received") last.set(contact.id, at);
          return contact && shown(contact);
        }),
      ),
      "contacts.find": finding((contact) => shown(contact)),
    };
  }),
  flaw("meet returns the alias as it was when it was first met", [MEETING], () => {
    const first = new Map<string, AliasState>();
    return {
      "contacts.meet": answering((met, alias) => ({
        ...met,
        alias: firstOf(first, keyOf(alias), met.alias),
      })),
    };
  }),
  flaw("meet returns the alias with its tallies", [MEETING], {
    "contacts.meet": answering((met) => ({ ...met, alias: { ...met.alias, tallies: Tallies.none } })),
  }),
  flaw("meet looks up contacts, but stores none", [MEETING, MODEL], ({ contacts }) => ({
    "contacts.meet": async (meet, alias, { author, correspondents }, limits) => {
      const emails = correspondents.map(({ email }) => email);
      const found = isNonEmpty(emails) ? valueOf(await contacts.findByEmails(alias, emails)) : [];
      const met = await meet(alias, { author, correspondents: [] }, limits);
      return met.map((each) => ({ ...each, contacts: RecordedContacts.result(correspondents, found) }));
    },
  })),
  flaw("meet has no limit", [MODEL], {
    "contacts.meet": calling((alias, message) => [alias, message, NO_LIMITS]),
  }),
  flaw("every contact of a call is returned once", [ONE_CALL], {
    "contacts.record": answering((recorded) =>
      recorded.filter((contact, n) => recorded.findIndex((each) => each?.id === contact?.id) === n),
    ),
  }),
  flaw("known contacts are returned before new ones", [ONE_CALL], {
    "contacts.record": answering((recorded) =>
      recorded.toSorted((a, b) => (a?.createdAt ?? 0) - (b?.createdAt ?? 0)),
    ),
  }),
  flaw("a call records the first 25 addresses", [THIRTY], {
    "contacts.record": async (record, alias, correspondents, limits) => {
      const some = correspondents.slice(0, 25);
      const recorded = isNonEmpty(some) ? await record(alias, some, limits) : ok([]);
      return recorded.map((all) => correspondents.map((_, n) => all[n] ?? null));
    },
  }),
  flaw("contacts are found by their addresses only as they were recorded", [FOUND], {
    "contacts.findByEmails": answering((found, _alias, emails) =>
      found.filter(({ email }) => emails.includes(email)),
    ),
  }),
  flaw("the first 50 addresses are looked up", [FOUND], {
    "contacts.findByEmails": answering((found, _alias, emails) => {
      const some = new Set(emails.slice(0, 50).map(EmailAddress.key));
      return found.filter(({ email }) => some.has(EmailAddress.key(email)));
    }),
  }),
  flaw("contacts of all aliases are found by their addresses", [FOUND, ALIKE], () => {
    const all = new Map<string, Contact>();
    return {
      "contacts.record": after((alias, [{ email, id, kind, at }]) => {
        all.set(`${keyOf(alias)} ${EmailAddress.key(email)}`, Contact.of(alias, { email, id, kind, at }));
      }),
      "contacts.findByEmails": answering((found, alias, [email]) => [
        ...found,
        ...[...all].flatMap(([key, contact]) =>
          key.endsWith(` ${EmailAddress.key(email)}`) && !key.startsWith(keyOf(alias)) ? [contact] : [],
        ),
      ]),
    };
  }),
  flaw("contacts of the same alias id in other accounts are found", [FOUND], () => {
    const owners = new Map<string, AliasKey>();
    return {
      "contacts.record": before((alias) => owners.set(alias.id, alias)),
      "contacts.findByEmails": changingFirst((alias) => owners.get(alias.id) ?? alias),
    };
  }),
  flaw("who is looked up is as if written to", [FOUND], (store) => ({
    "contacts.findByEmails": before((alias, [email]) =>
      store.contacts.record(alias, [{ id: newContactId(), email, kind: "sent", at: 0 }], NO_LIMITS),
    ),
  })),
  flaw("the contacts of a deleted alias are not found by their addresses", [KEPT], (store) => ({
    "contacts.findByEmails": answering(async (found, alias) =>
      (await storedAlias(store, alias))?.deletedAt ? [] : found,
    ),
  })),
  flaw("the contacts of an erased alias are still found by their addresses", [ERASED], (store) => {
    const erased = new Map<string, readonly Contact[]>();
    return {
      "aliases.erase": before(async (alias) =>
        erased.set(keyOf(alias), valueOf(await store.contacts.list(alias, ALL)).items),
      ),
      "contacts.findByEmails": answering((found, alias) => [...found, ...(erased.get(keyOf(alias)) ?? [])]),
    };
  }),
  flaw("contacts are found by their addresses as they were first found", [SETTINGS], () => {
    const seen = new Map<string, readonly Contact[]>();
    return {
      "contacts.findByEmails": answering((found, alias, emails) =>
        firstOf(seen, JSON.stringify([keyOf(alias), emails]), found),
      ),
    };
  }),
  flaw("a contact whose id is taken gets another one", [ID], (store) => {
    const change = async (correspondent: Correspondent): Promise<Correspondent> => {
      const isTaken = valueOf(await store.contacts.find(correspondent.id)) !== null;
      return isTaken ? { ...correspondent, id: newContactId() } : correspondent;
    };
    return recording(change);
  }),
  flaw("an alias that does not exist records nobody, without a failure", [NO_ALIAS, ERASED], {
    "contacts.record": async (record, alias, correspondents, limits) => {
      const recorded = await record(alias, correspondents, limits);
      return recorded.isErr() && recorded.error.code === "alias_not_found"
        ? ok(correspondents.map(() => null))
        : recorded;
    },
  }),
  flaw("a contact of an alias that does not exist is created, and never found", [NO_ALIAS], {
    "contacts.create": denying("alias_not_found"),
  }),
  flaw("a contact that cannot be created because of its address is no failure", [CREATED_TWICE], {
    "contacts.create": denying("address_taken"),
  }),
  flaw("accounts whose ids look alike share contacts", [ALIKE], {
    "contacts.record": changingFirst(fold),
    "contacts.list": changingFirst(fold),
  }),
  flaw("the contacts of a page are listed oldest first", [PAGES, MODEL], {
    "contacts.list": listing((items) => items.toReversed()),
  }),
  flaw("a full last page of contacts is followed by an empty one", [PAGES], {
    "contacts.list": endingWithEmptyPage(Contact.position),
  }),
  flaw("the contacts of deleted aliases are not among those of the account", [ACCOUNT], (store) => ({
    "contacts.listOfAccount": listing(async (items) => {
      const aliases = await Promise.all(
        items.map(({ account, alias }) => storedAlias(store, { account, id: alias })),
      );
      return items.filter((_, n) => aliases[n]?.deletedAt === null);
    }),
  })),
  flaw("a deleted alias has no contacts", [KEPT], (store) => ({
    "contacts.list": listingUnlessDeleted(store),
  })),
  plain("the contacts of a deleted alias change like others", [DELETED, MODEL], { needsLiveAlias: false }),
  plain("the contacts of an erased alias are still found by their ids", [ERASED, NOT_ERASED], {
    afterErasure: "found by its id",
  }),
  plain("an alias with the id of an erased one has its contacts", [ERASED], {
    afterErasure: "found by the alias's id",
  }),
  flaw("the contacts of an alias are erased even if the alias is not", [NOT_ERASED], (_, seen) => ({
    "aliases.erase": before((alias) => seen.add(keyOf(alias))),
    "contacts.find": finding((contact) =>
      seen.has(keyOf({ account: contact.account, id: contact.alias })) ? null : contact,
    ),
  })),
  plain("the oldest contact is evicted, even if it was used last", [LONGEST], {
    order: (a, b) => a.createdAt - b.createdAt,
  }),
  plain("the contact that was used last is evicted", [LONGEST, NO_LIMIT], {
    order: (a, b) => (b.lastReceivedAt ?? 0) - (a.lastReceivedAt ?? 0),
  }),
  plain("contacts that were only named are evicted like others", [NAMED_FIRST, MODEL], {
    rank: (_, isNew) => Number(isNew),
  }),
  plain("contacts that mail has come from are evicted for those that were only named", [NAMED_FIRST, MODEL], {
    rank: ({ onlyNamed }, isNew) => (isNew ? 3 : onlyNamed ? 0 : 2),
  }),
  plain("an alias gets any number of contacts that were only named", [HUNDRED], { newlyNamed: 1_000 }),
  recorded(
    "contacts that were only named are as if they had written",
    [NAMED, NAMED_FIRST, HUNDRED],
    (each) => (each.kind === "named" ? { ...each, kind: "received" } : each),
  ),
  recorded("contacts that have written are as if they were only named", [NAMED, ONE, NAMED_FIRST], (each) =>
    each.kind === "received" ? { ...each, kind: "named" } : each,
  ),
  plain("a contact that was written to is evicted", [NEVER], {
    isEvictable: ({ blocking, addedAt }) => blocking === "none" && addedAt === null,
  }),
  plain("a contact that was added is evicted", [NEVER], {
    isEvictable: ({ blocking, lastSentAt }) => blocking === "none" && lastSentAt === null,
  }),
  plain("a contact that was blocked is evicted", [NEVER], {
    isEvictable: ({ addedAt, lastSentAt }) => addedAt === null && lastSentAt === null,
  }),
  plain("a new contact is evicted for another of the same call", [TOGETHER], { together: false }),
  plain("a limit of 0 contacts allows none", [NO_LIMIT], { isLimited: () => true }),
  plain("there is no limit of contacts", [LONGEST, NEVER, TOGETHER, NO_LIMIT, MODEL, MANY], {
    isLimited: () => false,
  }),
  plain("one contact a call is evicted, however many there are", [TOGETHER, NO_LIMIT], { most: 1 }),
  flaw("a contact is not created if the alias has another one", [CREATED], ({ contacts }) => ({
    "contacts.create": failingIf({ code: "conflict" }, async ({ account, alias }) =>
      isNonEmpty(valueOf(await contacts.list({ account, id: alias }, ALL)).items),
    ),
  })),
  hasty("a contact is blocked after it was chosen for eviction, and is gone", [BLOCKED], early),
  hasty("a contact is recorded although its alias was deleted after it was looked up", [RECORDED_DELETED], {
    ...early,
    early: "alias in contacts.record",
  }),
  hasty("a contact is blocked although its alias was deleted after it was looked up", [BLOCKED_DELETED], {
    ...early,
    early: "contact in contacts.save",
  }),
  hasty("what was recorded at once beyond the limit stays", [MANY], { ...early, contacts: { most: 1 } }),
];
