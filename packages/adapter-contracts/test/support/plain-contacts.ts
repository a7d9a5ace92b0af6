import { setImmediate } from "node:timers/promises";
import { memoryStore } from "@postern/adapter-memory";
import { Contact, type ContactId, compareIds, EmailAddress, err, ok, type Store } from "@postern/core";
import { type AliasKey, Meeting, pageOf } from "@postern/core/store";
import { inTime } from "./intercepted.ts";

/** How a store treats contacts. Whatever is not overridden is correct. */
type Rules = {
  readonly isEvictable: (contact: Contact) => boolean;
  /** Negative if the first one is evicted before the second. */
  readonly order: (a: Contact, b: Contact) => number;
  /** How many contacts are evicted in one call, at most. */
  readonly most: number;
  readonly isLimited: (limit: number) => boolean;
  /** Whether all encounters of a call are one meeting, in which no contact evicts another. */
  readonly together: boolean;
  /** What happens between reading and writing; null if both are one step. */
  readonly gap: (() => Promise<void>) | null;
  /** What remains of a contact whose alias is erased. */
  readonly afterErasure: "nothing" | "found by its id" | "found by the alias's id";
};

const RIGHT: Rules = {
  isEvictable: Contact.isEvictable,
  order: (a, b) => (a.lastReceivedAt ?? 0) - (b.lastReceivedAt ?? 0),
  most: Number.POSITIVE_INFINITY,
  isLimited: (limit) => limit > 0,
  together: true,
  gap: null,
  afterErasure: "nothing",
};

/** A store that keeps contacts in one list; `flaw` overrides how. */
export const plainContacts = (flaw: Partial<Rules> = {}): Store => {
  const { isEvictable, order, most, isLimited, together, gap, afterErasure } = { ...RIGHT, ...flaw };
  const store = memoryStore();
  const all = new Map<ContactId, Contact>();
  const erased = new Map<ContactId, Contact>();

  const exists = async ({ account, id }: AliasKey): Promise<boolean> => {
    const found = await store.aliases.findWithRecipients(account, id, []);
    return found.isOk() && found.value.alias !== null;
  };
  const contactsOf = ({ account, id }: AliasKey): readonly Contact[] =>
    [...all.values()].filter((contact) => contact.account === account && contact.alias === id);

  const meet: Store["contacts"]["meet"] = async (alias, encounters, { contacts: limit }) => {
    if (!(await exists(alias))) return err({ code: "alias_not_found" });
    const stored = contactsOf(alias);
    const { fresh, known, noted } = Meeting.compare(Meeting.of(alias, encounters), stored);
    const free = fresh.filter(({ id }) => !all.has(id));
    const excess = isLimited(limit) && free.length > 0 ? Math.max(0, stored.length + free.length - limit) : 0;
    const leaving = stored
      .filter((contact) => isEvictable(contact) && !known.some(({ id }) => id === contact.id))
      .sort(order)
      .slice(0, Math.min(excess, most));
    if (gap !== null) await gap();
    const room = most === RIGHT.most ? free.length - (excess - leaving.length) : free.length;
    const added = free.slice(0, Math.max(0, room));
    for (const { id } of leaving) all.delete(id);
    for (const contact of [...noted, ...added]) all.set(contact.id, contact);
    return ok(Meeting.result(encounters, [...known, ...added]));
  };

  return inTime({
    ...store,
    aliases: {
      ...store.aliases,
      erase: async (alias) => {
        const result = await store.aliases.erase(alias);
        if (result.isErr()) return result;
        // Meetings that have seen the alias are over by then.
        await setImmediate();
        for (const contact of contactsOf(alias)) {
          if (afterErasure === "found by its id") erased.set(contact.id, contact);
          if (afterErasure !== "found by the alias's id") all.delete(contact.id);
        }
        return result;
      },
    },
    contacts: {
      meet: async (alias, encounters, limits) => {
        if (together) return meet(alias, encounters, limits);
        const met: (Contact | null)[] = [];
        for (const encounter of encounters) {
          const one = await meet(alias, [encounter], limits);
          if (one.isErr()) return one;
          met.push(...one.value);
        }
        return ok(met);
      },
      find: async (id) => {
        const contact = all.get(id) ?? erased.get(id) ?? null;
        const isHidden =
          contact !== null && !erased.has(id) && !(await exists({ ...contact, id: contact.alias }));
        return ok(isHidden ? null : contact);
      },
      list: async (alias, { limit, after }) => {
        const rest = contactsOf(alias)
          .filter((contact) => after === null || compareIds(Contact.position(contact), after) < 0)
          .sort((a, b) => compareIds(Contact.position(b), Contact.position(a)));
        return ok((await exists(alias)) ? pageOf(rest, limit, Contact.position) : { items: [], next: null });
      },
      listOfAccount: async (account, { limit, after }) => {
        const own = [...all.values()]
          .filter((contact) => contact.account === account && contact.id > (after ?? ""))
          .sort((a, b) => compareIds(a.id, b.id));
        return ok(pageOf(own, limit, ({ id }): string => id));
      },
      save: async (before, { blocking, version }) => {
        const stored = all.get(before.id);
        if (stored?.version !== before.version) return err({ code: "conflict" });
        all.set(stored.id, { ...stored, blocking, version });
        return ok();
      },
      create: async (contact) => {
        const alias = { account: contact.account, id: contact.alias };
        if (!(await exists(alias))) return err({ code: "alias_not_found" });
        if (all.has(contact.id)) return err({ code: "conflict" });
        const key = EmailAddress.key(contact.email);
        if (contactsOf(alias).some(({ email }) => EmailAddress.key(email) === key)) {
          return err({ code: "address_taken" });
        }
        all.set(contact.id, contact);
        return ok();
      },
    },
  });
};
