import {
  type AccountId,
  Alias,
  Contact,
  type ContactId,
  compareIds,
  type Domain,
  EmailAddress,
  err,
  ok,
} from "@postern/core";
import {
  type AliasKey,
  type Contacts,
  type Correspondent,
  MAX_NEWLY_NAMED,
  RecordedContacts,
} from "@postern/core/store";
import { pageOfAll } from "../stored.ts";
import type { Write } from "./facts.ts";

const HOUR = 60 * 60_000;

/** How a store treats contacts. Whatever is not overridden is correct. */
export type ContactRules = {
  readonly isEvictable: (contact: Contact) => boolean;
  /** Contacts of lower ranks are evicted first, and new ones of lower ranks are not stored. */
  readonly rank: (contact: Contact, isNew: boolean) => number;
  /** Of one rank: negative if the first one is evicted before the second. */
  readonly order: (a: Contact, b: Contact) => number;
  /** How many contacts an alias gets in an hour that were only named. */
  readonly newlyNamed: number;
  /** How many contacts are evicted in one call, at most. If there is a limit, new contacts are stored even beyond that of the alias. */
  readonly most: number | null;
  readonly isLimited: (limit: number) => boolean;
  /** Whether all correspondents of a call are one recording, in which no contact evicts another. */
  readonly together: boolean;
  /** Whether the contacts of a deleted alias stay as they are. */
  readonly needsLiveAlias: boolean;
  /** What remains of a contact whose alias is erased. */
  readonly afterErasure: "nothing" | "found by its id" | "found by the alias's id";
};

const RIGHT: ContactRules = {
  isEvictable: Contact.isEvictable,
  rank: ({ onlyNamed }, isNew) => (onlyNamed ? 0 : 2) + Number(isNew),
  order: (a, b) =>
    (a.lastReceivedAt ?? 0) - (b.lastReceivedAt ?? 0) || compareIds(Contact.position(a), Contact.position(b)),
  newlyNamed: MAX_NEWLY_NAMED,
  most: null,
  isLimited: (limit) => limit > 0,
  together: true,
  needsLiveAlias: true,
  afterErasure: "nothing",
};

export const plainContacts = (
  write: Write,
  findAlias: (alias: AliasKey) => Alias | undefined,
  isBlocked: (account: AccountId, author: EmailAddress | Domain) => boolean,
  flaw: Partial<ContactRules> = {},
): { readonly ports: Contacts; forget(alias: AliasKey): void } => {
  const { isEvictable, order, rank, newlyNamed, most, isLimited, together, needsLiveAlias, afterErasure } = {
    ...RIGHT,
    ...flaw,
  };
  const exists = (alias: AliasKey): boolean => findAlias(alias) !== undefined;
  const isDeleted = (alias: AliasKey): boolean => needsLiveAlias && Boolean(findAlias(alias)?.deletedAt);
  const all = new Map<ContactId, Contact>();
  const erased = new Map<ContactId, Contact>();
  const contactsOf = ({ account, id }: AliasKey): readonly Contact[] =>
    [...all.values()].filter((contact) => contact.account === account && contact.alias === id);

  /** Whether contacts of the alias are found. All that are stored are, unless only an alias with its id brings them back. */
  const isShown = (alias: AliasKey): boolean => afterErasure !== "found by the alias's id" || exists(alias);

  const record = (
    alias: AliasKey,
    correspondents: readonly Correspondent[],
    limit: number,
    stored: readonly Contact[],
  ) => {
    const { fresh, known, noted } = RecordedContacts.compare(
      RecordedContacts.of(alias, correspondents),
      stored,
    );
    const since = Math.max(...fresh.map(({ createdAt }) => createdAt)) - HOUR;
    let places = newlyNamed - stored.filter((each) => each.onlyNamed && each.createdAt > since).length;
    const free = fresh.filter(({ id, onlyNamed }) => {
      if (onlyNamed) places -= 1;
      return !all.has(id) && (!onlyNamed || places >= 0);
    });
    const excess = isLimited(limit) && free.length > 0 ? Math.max(0, stored.length + free.length - limit) : 0;
    const evictable = stored
      .filter((contact) => isEvictable(contact) && !known.some(({ id }) => id === contact.id))
      .toSorted(order);
    const queue = [
      ...evictable.map((contact) => ({ contact, rank: rank(contact, false) })),
      ...free.toReversed().map((contact) => ({ contact, rank: rank(contact, true) })),
    ].toSorted((a, b) => a.rank - b.rank);
    const gone = queue.slice(0, excess).map(({ contact }) => contact);
    const leaving = evictable.filter((contact) => gone.includes(contact)).slice(0, most ?? excess);
    const added = most === null ? free.filter((contact) => !gone.includes(contact)) : free;
    for (const { id } of leaving) all.delete(id);
    for (const contact of [...noted, ...added]) all.set(contact.id, contact);
    return RecordedContacts.result(correspondents, [...known, ...added]);
  };

  const recorded = (
    alias: AliasKey,
    correspondents: readonly Correspondent[],
    limit: number,
  ): ReturnType<Contacts["record"]> =>
    write((fact) => {
      const isThere = fact("alias in contacts.record", () => exists(alias));
      const isGone = fact("alias in contacts.record", () => isDeleted(alias));
      const stored = fact("contacts in contacts.record", () => contactsOf(alias));
      return () => {
        if (!isThere()) return err({ code: "alias_not_found" });
        if (isGone()) return err({ code: "alias_deleted" });
        const calls = together ? [correspondents] : correspondents.map((each) => [each]);
        return ok(structuredClone(calls.flatMap((each) => record(alias, each, limit, stored()))));
      };
    });

  return {
    forget: (alias) => {
      for (const contact of contactsOf(alias)) {
        if (afterErasure === "found by its id") erased.set(contact.id, contact);
        if (afterErasure !== "found by the alias's id") all.delete(contact.id);
      }
    },
    ports: {
      record: (alias, correspondents, limits) => recorded(alias, correspondents, limits.contacts),

      meet: async (key, { author, correspondents }, limits) => {
        const alias = findAlias(key);
        if (alias === undefined) return err({ code: "alias_not_found" });
        const met = {
          alias: structuredClone(Alias.state(alias)),
          isBlocked: author !== null && isBlocked(key.account, author),
        };
        return (await recorded(key, correspondents, limits.contacts)).map((contacts) => ({
          ...met,
          contacts,
        }));
      },

      find: async (id) => {
        const contact = all.get(id) ?? erased.get(id);
        const isFound = contact !== undefined && isShown({ account: contact.account, id: contact.alias });
        return ok(isFound ? structuredClone(contact) : null);
      },

      findByEmails: async (alias, emails) => {
        const shown = isShown(alias) ? contactsOf(alias) : [];
        const keys = new Set(emails.map(EmailAddress.key));
        return ok(structuredClone(shown.filter(({ email }) => keys.has(EmailAddress.key(email)))));
      },

      list: async (alias, page) => {
        const shown = isShown(alias) ? contactsOf(alias) : [];
        return ok(structuredClone(pageOfAll(shown, Contact.position, page)));
      },

      listOfAccount: async (account, page) => {
        const own = [...all.values()].filter((contact) => contact.account === account);
        return ok(structuredClone(pageOfAll(own, ({ id }): string => id, page)));
      },

      save: (before, { blocking, version }) =>
        write((fact) => {
          const current = fact("version in contacts.save", () => all.get(before.id)?.version);
          const contact = fact("contact in contacts.save", () => all.get(before.id));
          const alias = { account: before.account, id: before.alias };
          const isGone = fact("contact in contacts.save", () => isDeleted(alias));
          return () => {
            const stored = contact();
            if (stored === undefined || current() !== before.version || isGone()) {
              return err({ code: "conflict" });
            }
            all.set(before.id, { ...stored, blocking, version });
            return ok();
          };
        }),

      create: (contact) =>
        write((fact) => {
          const alias = { account: contact.account, id: contact.alias };
          const email = EmailAddress.key(contact.email);
          const isThere = fact("alias in contacts.create", () => exists(alias));
          const isTaken = fact("contacts in contacts.create", () =>
            contactsOf(alias).some((other) => EmailAddress.key(other.email) === email),
          );
          return () => {
            if (!isThere()) return err({ code: "alias_not_found" });
            if (all.has(contact.id)) return err({ code: "conflict" });
            if (isTaken()) return err({ code: "address_taken" });
            all.set(contact.id, structuredClone(contact));
            return ok();
          };
        }),
    },
  };
};
