import { EmailAddress } from "../values/email-address.ts";
import type { AccountId, AliasId, ContactId } from "../values/identifiers.ts";
import { Contact, type Correspondent } from "./contact.ts";

/** The maximum number of correspondents in one call of `Contacts.record`. */
export const MAX_CORRESPONDENTS = 30;

/** How many contacts an alias gets within an hour, at most, that were only named: anybody can name any number of addresses. */
export const MAX_NEWLY_NAMED = 100;
const HOUR = 60 * 60 * 1_000;

const latest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);

/** Merges two correspondents with one address into one contact: the first one, with the times of both. */
const together = (first: Contact, other: Contact): Contact => ({
  ...first,
  addedAt: first.addedAt ?? other.addedAt,
  onlyNamed: first.onlyNamed && other.onlyNamed,
  lastReceivedAt: latest(first.lastReceivedAt, other.lastReceivedAt),
  lastSentAt: latest(first.lastSentAt, other.lastSentAt),
});

const byKey = (contacts: readonly Contact[]): ReadonlyMap<string, Contact> =>
  new Map(contacts.map((contact) => [EmailAddress.key(contact.email), contact]));

/** The part of `Contacts.record` that is the same in every store. */
export const RecordedContacts = {
  /**
   * The correspondents as new contacts, in the order of the correspondents: each address once. An address with the same id as an earlier one is
   * left out, because two contacts cannot share an id.
   */
  of: (
    alias: { readonly account: AccountId; readonly id: AliasId },
    correspondents: readonly Correspondent[],
  ): readonly Contact[] => {
    const recorded = new Map<string, Contact>();
    const ids = new Set<ContactId>();
    for (const correspondent of correspondents) {
      const [key, contact] = [EmailAddress.key(correspondent.email), Contact.of(alias, correspondent)];
      const first = recorded.get(key);
      if (first !== undefined) recorded.set(key, together(first, contact));
      else if (!ids.has(contact.id)) recorded.set(key, contact);
      ids.add(contact.id);
    }
    return [...recorded.values()];
  },

  /** Compares the contacts that were recorded with those stored under the same addresses. */
  compare: (
    recorded: readonly Contact[],
    stored: readonly Contact[],
  ): {
    /** The contacts to store. */
    readonly fresh: readonly Contact[];
    /** The contacts that are already stored, as they are from now on. */
    readonly known: readonly Contact[];
    /** The contacts in `known` that have to be written: only their times have changed. */
    readonly noted: readonly Contact[];
  } => {
    const found = byKey(stored);
    const fresh: Contact[] = [];
    const known: Contact[] = [];
    const noted: Contact[] = [];
    for (const contact of recorded) {
      const before = found.get(EmailAddress.key(contact.email));
      if (before === undefined) {
        fresh.push(contact);
        continue;
      }
      const after = Contact.note(before, contact);
      known.push(after);
      if (after !== before) noted.push(after);
    }
    return { fresh, known, noted };
  },

  /** The beginning of the hour that ends with the last of these new contacts, in epoch milliseconds. */
  hourBefore: (fresh: readonly Contact[]): number =>
    Math.max(...fresh.map(({ createdAt }) => createdAt)) - HOUR,

  /**
   * The new contacts without those that were only named, if the alias has too many of that kind.
   *
   * @param recent how many contacts the alias got since `hourBefore` that were only named
   */
  withFewNamed: (fresh: readonly Contact[], recent: number): readonly Contact[] => {
    let room = MAX_NEWLY_NAMED - recent;
    return fresh.filter(({ onlyNamed }) => {
      if (onlyNamed) room -= 1;
      return !onlyNamed || room >= 0;
    });
  },

  /**
   * Which new contacts are stored, and which others are evicted for them. First, contacts go that were only named, and new ones that were
   * only named are not stored; then those go that mail has come from.
   *
   * @param others the contacts of the alias that were not recorded, or the first of them `inOrderOfEviction`, as many as `excess`
   * @param excess how many contacts there would be too many if all new ones were stored
   */
  makeRoom: (
    fresh: readonly Contact[],
    others: readonly Contact[],
    excess: number,
  ): { readonly added: readonly Contact[]; readonly leaving: readonly Contact[] } => {
    const evictable = Contact.inOrderOfEviction(others);
    const newest = fresh.toReversed();
    const order = [true, false].flatMap((named) =>
      [...evictable, ...newest].filter(({ onlyNamed }) => onlyNamed === named),
    );
    const gone = new Set(order.slice(0, Math.max(0, excess)));
    return {
      added: fresh.filter((contact) => !gone.has(contact)),
      leaving: evictable.filter((contact) => gone.has(contact)),
    };
  },

  /** The result of the call: the contact of each correspondent, null where none is stored. */
  result: (
    correspondents: readonly Correspondent[],
    contacts: readonly Contact[],
  ): readonly (Contact | null)[] => {
    const found = byKey(contacts);
    return correspondents.map(({ email }) => found.get(EmailAddress.key(email)) ?? null);
  },
};
