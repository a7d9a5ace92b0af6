import {
  type AccountId,
  Alias,
  Contact,
  type ContactId,
  type Domain,
  EmailAddress,
  err,
  ok,
} from "@postern/core";
import { type AliasKey, type Contacts, pageBy, RecordedContacts } from "@postern/core/store";
import { frozenRecord } from "./frozen.ts";
import { noTimeLeft } from "./no-time-left.ts";
import { placeOf } from "./place-of.ts";

/** The contacts of one alias, by `EmailAddress.key`. */
type OfAlias = Map<string, Contact>;

const aliasOf = ({ account, alias }: Contact): string => placeOf({ account, id: alias });

export const memoryContacts = (
  findAlias: (alias: AliasKey) => Alias | undefined,
  isBlocked: (account: AccountId, author: EmailAddress | Domain) => boolean,
): { readonly contacts: Contacts; readonly forget: (alias: AliasKey) => void } => {
  const byAlias = new Map<string, OfAlias>();
  const byId = new Map<ContactId, Contact>();

  const put = (contact: Contact): void => {
    const own: OfAlias = byAlias.get(aliasOf(contact)) ?? new Map();
    const stored = frozenRecord(contact);
    byAlias.set(aliasOf(contact), own.set(EmailAddress.key(contact.email), stored));
    byId.set(contact.id, stored);
  };

  const remove = (contact: Contact): void => {
    byAlias.get(aliasOf(contact))?.delete(EmailAddress.key(contact.email));
    byId.delete(contact.id);
  };

  const contactsOf = (alias: AliasKey): readonly Contact[] => [
    ...(byAlias.get(placeOf(alias))?.values() ?? []),
  ];

  const storedOf = (alias: AliasKey, emails: readonly EmailAddress[]): readonly Contact[] => {
    const own = byAlias.get(placeOf(alias));
    return emails.flatMap((email) => own?.get(EmailAddress.key(email)) ?? []);
  };

  const meet: Contacts["meet"] = async (alias, { author, correspondents }, { contacts: limit }, timeLeft) => {
    const late = noTimeLeft(timeLeft);
    if (late !== null) return late;
    const owner = findAlias(alias);
    if (owner === undefined) return err({ code: "alias_not_found" });
    if (owner.deletedAt !== null) return err({ code: "alias_deleted" });
    const met = (contacts: readonly Contact[]) =>
      ok({
        alias: Alias.state(owner),
        contacts: RecordedContacts.result(correspondents, contacts.map(frozenRecord)),
        isBlocked: author !== null && isBlocked(alias.account, author),
      });
    const recorded = RecordedContacts.of(alias, correspondents);
    const stored = storedOf(
      alias,
      recorded.map(({ email }) => email),
    );
    const { fresh, known, noted } = RecordedContacts.compare(recorded, stored);
    for (const contact of noted) put(contact);
    if (fresh.length === 0) return met(known);
    const others = contactsOf(alias).filter((contact) => !known.some(({ id }) => id === contact.id));
    const since = RecordedContacts.hourBefore(fresh);
    const named = others.filter(({ onlyNamed, createdAt }) => onlyNamed && createdAt > since).length;
    const free = fresh.filter(({ id }) => !byId.has(id));
    const storable = RecordedContacts.withFewNamed(free, named);
    const excess = limit === 0 ? 0 : others.length + known.length + storable.length - limit;
    const { added, leaving } = RecordedContacts.makeRoom(storable, others, excess);
    for (const contact of leaving) remove(contact);
    for (const contact of added) put(contact);
    return met([...known, ...added]);
  };

  return {
    forget: (alias) => {
      for (const contact of contactsOf(alias)) byId.delete(contact.id);
      byAlias.delete(placeOf(alias));
    },

    contacts: {
      record: async (alias, correspondents, limits, timeLeft) => {
        const met = await meet(alias, { author: null, correspondents }, limits, timeLeft);
        return met.map(({ contacts }) => contacts);
      },

      meet,

      find: async (id, timeLeft) => noTimeLeft(timeLeft) ?? ok(byId.get(id) ?? null),

      findByEmails: async (alias, emails, timeLeft) => noTimeLeft(timeLeft) ?? ok(storedOf(alias, emails)),

      list: async (alias, page, timeLeft) =>
        noTimeLeft(timeLeft) ?? ok(pageBy(contactsOf(alias), Contact.position, page)),

      listOfAccount: async (account, page) => {
        const own = [...byId.values()].filter((contact) => contact.account === account);
        return ok(pageBy(own, ({ id }): string => id, page));
      },

      save: async (before, { blocking, version }, timeLeft) => {
        const late = noTimeLeft(timeLeft);
        if (late !== null) return late;
        const stored = byId.get(before.id);
        if (stored?.version !== before.version) return err({ code: "conflict" });
        const owner = findAlias({ account: stored.account, id: stored.alias });
        if (owner?.deletedAt !== null) return err({ code: "conflict" });
        put({ ...stored, blocking, version });
        return ok();
      },

      create: async (contact, timeLeft) => {
        const late = noTimeLeft(timeLeft);
        if (late !== null) return late;
        if (findAlias({ account: contact.account, id: contact.alias }) === undefined) {
          return err({ code: "alias_not_found" });
        }
        if (byId.has(contact.id)) return err({ code: "conflict" });
        if (byAlias.get(aliasOf(contact))?.has(EmailAddress.key(contact.email))) {
          return err({ code: "address_taken" });
        }
        put(contact);
        return ok();
      },
    },
  };
};
