import { setImmediate } from "node:timers/promises";
import { memoryStore } from "@postern/adapter-memory";
import {
  type Contact,
  type ContactId,
  Contact as Contacts,
  err,
  isNonEmpty,
  ok,
  parseAccountId,
  parseEmailAddress,
} from "@postern/core";
import type { AliasKey, Encounter } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { newContactId } from "../../../src/samples.ts";
import { plainContacts } from "../plain-contacts.ts";
import { type Broken, codeOf, contacts, keyOf } from "./broken.ts";

const FIELDS = "every field of a created contact is read back";
const SETTINGS = "every setting of a contact is saved";
const ONLY_SETTINGS = "saving a contact writes neither its times nor the fields that never change";
const VERSION = "saving a contact at another version, or one that does not exist, changes nothing";
const ONE = "an address is one contact of the alias, with the id that it was first met with";
const KINDS = "each kind of encounter sets its own time of a contact";
const HOUR = "a contact that is met again has the later time, to within an hour";
const ONE_CALL = "one call meets known and new addresses, each as often as it likes, in order";
const THIRTY = "one call meets 30 addresses";
const ID = "an id belongs to one contact, and no other contact gets it";
const NO_ALIAS = "an alias that does not exist has no contacts, and gets none";
const CREATED_TWICE = "a contact cannot be created with the address of another one of the alias";
const ALIKE = "aliases with similar ids, of accounts with similar ids, have contacts of their own";
const PAGES = "pages of any size list the contacts of an alias once, newest first";
const ACCOUNT = "the contacts of all aliases of an account are listed once, and no others";
const KEPT = "changes to an alias do not affect its contacts, unless it is erased";
const ERASED = "an erased alias has no contacts, and an alias with its id begins with none";
const NOT_ERASED = "an alias that is not erased because of its version keeps its contacts";
const LONGEST = "at the limit, the contact that has been unused for longest is evicted for a new one";
const NEVER = "contacts that were written to, added or blocked are never evicted";
const TOGETHER = "contacts of one call never evict each other";
const NO_LIMIT = "a limit of 0 contacts means no limit, and a lower one than before evicts contacts";
const CREATED = "creating contacts has no limit";
const MODEL =
  "after every step of a random sequence of calls about contacts, the store matches a plain model";
const BLOCKED = "blocking a contact races with its eviction: it is gone, or it stays and is blocked";
const MANY = "many addresses met at once are all stored, and the next call keeps to the limit";

/** The correct store, except that it meets encounters other than those it is given. */
const meeting = (change: (encounter: Encounter) => Encounter): Broken["open"] =>
  contacts((real) => ({
    meet: async (alias, encounters, limits, timeLeft) => {
      const changed = encounters.map(change);
      return isNonEmpty(changed) ? real.meet(alias, changed, limits, timeLeft) : ok([]);
    },
  }));

/** The correct store, except that it returns other contacts than it has. */
const reading = (change: (contact: Contact) => Contact): Broken["open"] =>
  contacts((real) => ({
    find: async (id) => (await real.find(id)).map((contact) => contact && change(contact)),
    list: async (alias, page) =>
      (await real.list(alias, page)).map(({ items, next }) => ({ items: items.map(change), next })),
  }));

export const brokenContacts: readonly Broken[] = [
  {
    flaw: "a created contact loses when it was added",
    noticedBy: [FIELDS],
    open: contacts((real) => ({ create: (contact) => real.create({ ...contact, addedAt: null }) })),
  },
  {
    flaw: "a created contact begins with version 1",
    noticedBy: [FIELDS],
    open: contacts((real) => ({ create: (contact) => real.create({ ...contact, version: 1 }) })),
  },
  {
    flaw: "mail that is thrown away is refused",
    noticedBy: [FIELDS, SETTINGS],
    open: reading((contact) =>
      contact.blocking === "discard" ? { ...contact, blocking: "reject" } : contact,
    ),
  },
  {
    flaw: "the blocking of a contact is not saved",
    noticedBy: [SETTINGS],
    open: contacts((real) => ({
      save: (before, after) => real.save(before, { ...after, blocking: before.blocking }),
    })),
  },
  {
    flaw: "a save writes the times",
    noticedBy: [ONLY_SETTINGS],
    open: () => {
      const store = memoryStore();
      const saved = new Map<ContactId, number | null>();
      return {
        ...store,
        contacts: {
          ...store.contacts,
          save: async (before, after) => {
            const result = await store.contacts.save(before, after);
            if (result.isOk()) saved.set(before.id, after.lastSentAt);
            return result;
          },
          find: async (id) =>
            (await store.contacts.find(id)).map(
              (contact) => contact && { ...contact, lastSentAt: saved.get(id) ?? contact.lastSentAt },
            ),
          list: async (alias, page) =>
            (await store.contacts.list(alias, page)).map(({ items, next }) => ({
              items: items.map((each) => ({ ...each, lastSentAt: saved.get(each.id) ?? each.lastSentAt })),
              next,
            })),
        },
      };
    },
  },
  {
    flaw: "a save does not compare versions",
    noticedBy: [VERSION],
    open: contacts((real) => ({
      save: async (before, after) => {
        const stored = valueOf(await real.find(before.id));
        return stored === null ? err({ code: "conflict" }) : real.save(stored, after);
      },
    })),
  },
  {
    flaw: "a save of a contact that does not exist succeeds",
    noticedBy: [VERSION],
    open: contacts((real) => ({
      save: async (before, after) =>
        valueOf(await real.find(before.id)) === null ? ok() : real.save(before, after),
    })),
  },
  {
    flaw: "an address in upper case is another contact",
    noticedBy: [ONE],
    open: meeting((encounter) =>
      encounter.email.startsWith("CONTACT")
        ? { ...encounter, email: valueOf(parseEmailAddress(`x${encounter.email}`)) }
        : encounter,
    ),
  },
  {
    flaw: "a contact has the id that it was last met with",
    noticedBy: [ONE],
    open: contacts((real) => ({
      meet: async (alias, encounters, limits, timeLeft) =>
        (await real.meet(alias, encounters, limits, timeLeft)).map((met) =>
          met.map((contact, n) => contact && { ...contact, id: encounters[n]?.id ?? contact.id }),
        ),
    })),
  },
  {
    flaw: "received mail counts as sent",
    noticedBy: [ONE, KINDS],
    open: meeting((encounter) =>
      encounter.kind === "received" ? { ...encounter, kind: "sent" } : encounter,
    ),
  },
  {
    flaw: "contacts that are added are as if written to",
    noticedBy: [KINDS],
    open: meeting((encounter) => (encounter.kind === "added" ? { ...encounter, kind: "sent" } : encounter)),
  },
  {
    flaw: "the time of the last encounter is stored, even if it is earlier",
    noticedBy: [HOUR],
    open: () => {
      const store = memoryStore();
      const last = new Map<ContactId, number>();
      const shown = (contact: Contact): Contact => {
        const at = last.get(contact.id);
        return at === undefined ? contact : { ...contact, lastReceivedAt: at };
      };
      return {
        ...store,
        contacts: {
          ...store.contacts,
          meet: async (alias, encounters, limits, timeLeft) =>
            (await store.contacts.meet(alias, encounters, limits, timeLeft)).map((met) =>
              met.map((contact, n) => {
                const { kind, at = 0 } = encounters[n] ?? {};
                if (contact !== null && kind === "received") last.set(contact.id, at);
                return contact && shown(contact);
              }),
            ),
          find: async (id) => (await store.contacts.find(id)).map((contact) => contact && shown(contact)),
        },
      };
    },
  },
  {
    flaw: "every contact of a call is returned once",
    noticedBy: [ONE_CALL],
    open: contacts((real) => ({
      meet: async (alias, encounters, limits, timeLeft) =>
        (await real.meet(alias, encounters, limits, timeLeft)).map((met) =>
          met.filter((contact, n) => met.findIndex((each) => each?.id === contact?.id) === n),
        ),
    })),
  },
  {
    flaw: "known contacts are returned before new ones",
    noticedBy: [ONE_CALL],
    open: contacts((real) => ({
      meet: async (alias, encounters, limits, timeLeft) =>
        (await real.meet(alias, encounters, limits, timeLeft)).map((met) =>
          met.toSorted((a, b) => (a?.createdAt ?? 0) - (b?.createdAt ?? 0)),
        ),
    })),
  },
  {
    flaw: "a call meets the first 25 addresses",
    noticedBy: [THIRTY],
    open: contacts((real) => ({
      meet: async (alias, encounters, limits, timeLeft) => {
        const some = encounters.slice(0, 25);
        if (!isNonEmpty(some)) return ok([]);
        const met = await real.meet(alias, some, limits, timeLeft);
        return met.map((all) => encounters.map((_, n) => all[n] ?? null));
      },
    })),
  },
  {
    flaw: "a contact whose id is taken gets another one",
    noticedBy: [ID],
    open: contacts((real) => ({
      meet: async (alias, encounters, limits, timeLeft) => {
        const changed: Encounter[] = [];
        for (const encounter of encounters) {
          const isTaken = valueOf(await real.find(encounter.id)) !== null;
          changed.push(isTaken ? { ...encounter, id: newContactId() } : encounter);
        }
        return isNonEmpty(changed) ? real.meet(alias, changed, limits, timeLeft) : ok([]);
      },
    })),
  },
  {
    flaw: "an alias that does not exist meets nobody, without a failure",
    noticedBy: [NO_ALIAS, ERASED],
    open: contacts((real) => ({
      meet: async (alias, encounters, limits, timeLeft) => {
        const met = await real.meet(alias, encounters, limits, timeLeft);
        return codeOf(met) === "alias_not_found" ? ok(encounters.map(() => null)) : met;
      },
    })),
  },
  {
    flaw: "a contact of an alias that does not exist is created, and never found",
    noticedBy: [NO_ALIAS],
    open: contacts((real) => ({
      create: async (contact, timeLeft) => {
        const created = await real.create(contact, timeLeft);
        return codeOf(created) === "alias_not_found" ? ok() : created;
      },
    })),
  },
  {
    flaw: "a contact that cannot be created because of its address is no failure",
    noticedBy: [CREATED_TWICE],
    open: contacts((real) => ({
      create: async (contact, timeLeft) => {
        const created = await real.create(contact, timeLeft);
        return codeOf(created) === "address_taken" ? ok() : created;
      },
    })),
  },
  {
    flaw: "accounts whose ids look alike share contacts",
    noticedBy: [ALIKE],
    open: contacts((real) => {
      const fold = ({ account, id }: AliasKey): AliasKey => ({
        account: valueOf(parseAccountId(account.toLowerCase())),
        id,
      });
      return {
        meet: (alias, encounters, limits, timeLeft) => real.meet(fold(alias), encounters, limits, timeLeft),
        list: (alias, page, timeLeft) => real.list(fold(alias), page, timeLeft),
      };
    }),
  },
  {
    flaw: "the contacts of a page are listed oldest first",
    noticedBy: [PAGES, MODEL],
    open: contacts((real) => ({
      list: async (alias, page, timeLeft) =>
        (await real.list(alias, page, timeLeft)).map(({ items, next }) => ({
          items: items.toReversed(),
          next,
        })),
    })),
  },
  {
    flaw: "a full last page of contacts is followed by an empty one",
    noticedBy: [PAGES],
    open: contacts((real) => ({
      list: async (alias, page, timeLeft) =>
        (await real.list(alias, page, timeLeft)).map(({ items, next }) => {
          const last = items.at(-1);
          return { items, next: items.length === page.limit && last ? Contacts.position(last) : next };
        }),
    })),
  },
  {
    flaw: "the contacts of deleted aliases are not among those of the account",
    noticedBy: [ACCOUNT],
    open: contacts((real, { aliases }) => ({
      listOfAccount: async (account, page) => {
        const { items, next } = valueOf(await real.listOfAccount(account, page));
        const kept: Contact[] = [];
        for (const contact of items) {
          const { alias } = valueOf(await aliases.findWithRecipients(account, contact.alias, []));
          if (alias?.deletedAt === null) kept.push(contact);
        }
        return ok({ items: kept, next });
      },
    })),
  },
  {
    flaw: "a deleted alias has no contacts",
    noticedBy: [KEPT],
    open: contacts((real, { aliases }) => ({
      list: async (alias, page, timeLeft) => {
        const found = valueOf(await aliases.findWithRecipients(alias.account, alias.id, [])).alias;
        return found?.deletedAt ? ok({ items: [], next: null }) : real.list(alias, page, timeLeft);
      },
    })),
  },
  {
    flaw: "the contacts of an erased alias are still found by their ids",
    noticedBy: [ERASED, NOT_ERASED],
    open: () => plainContacts({ afterErasure: "found by its id" }),
  },
  {
    flaw: "an alias with the id of an erased one has its contacts",
    noticedBy: [ERASED],
    open: () => plainContacts({ afterErasure: "found by the alias's id" }),
  },
  {
    flaw: "the contacts of an alias are erased even if the alias is not",
    noticedBy: [NOT_ERASED],
    open: () => {
      const store = memoryStore();
      const gone = new Set<string>();
      return {
        ...store,
        aliases: {
          ...store.aliases,
          erase: (alias, timeLeft) => {
            gone.add(keyOf(alias));
            return store.aliases.erase(alias, timeLeft);
          },
        },
        contacts: {
          ...store.contacts,
          find: async (id) =>
            (await store.contacts.find(id)).map((contact) =>
              contact && gone.has(keyOf({ account: contact.account, id: contact.alias })) ? null : contact,
            ),
        },
      };
    },
  },
  {
    flaw: "the oldest contact is evicted, even if it was used last",
    noticedBy: [LONGEST],
    open: () => plainContacts({ order: (a, b) => a.createdAt - b.createdAt }),
  },
  {
    flaw: "the contact that was used last is evicted",
    noticedBy: [LONGEST, NO_LIMIT],
    open: () => plainContacts({ order: (a, b) => (b.lastReceivedAt ?? 0) - (a.lastReceivedAt ?? 0) }),
  },
  ...(
    [
      ["written to", ({ blocking, addedAt }) => blocking === "none" && addedAt === null],
      ["added", ({ blocking, lastSentAt }) => blocking === "none" && lastSentAt === null],
      ["blocked", ({ addedAt, lastSentAt }) => addedAt === null && lastSentAt === null],
    ] as const satisfies readonly (readonly [string, (contact: Contact) => boolean])[]
  ).map(
    ([state, isEvictable]): Broken => ({
      flaw: `a contact that was ${state} is evicted`,
      noticedBy: [NEVER],
      open: () => plainContacts({ isEvictable }),
    }),
  ),
  {
    flaw: "a new contact is evicted for another of the same call",
    noticedBy: [TOGETHER],
    open: () => plainContacts({ together: false }),
  },
  {
    flaw: "a limit of 0 contacts allows none",
    noticedBy: [NO_LIMIT],
    open: () => plainContacts({ isLimited: () => true }),
  },
  {
    flaw: "there is no limit of contacts",
    noticedBy: [LONGEST, NEVER, TOGETHER, NO_LIMIT, MODEL, MANY],
    open: () => plainContacts({ isLimited: () => false }),
  },
  {
    flaw: "one contact a call is evicted, however many there are",
    noticedBy: [TOGETHER, NO_LIMIT],
    open: () => plainContacts({ most: 1 }),
  },
  {
    flaw: "a contact is not created if the alias has another one",
    noticedBy: [CREATED],
    open: contacts((real) => ({
      create: async (contact, timeLeft) => {
        const page = await real.list(
          { account: contact.account, id: contact.alias },
          { limit: 1, after: null },
        );
        return page.isOk() && page.value.items.length > 0
          ? err({ code: "conflict" })
          : real.create(contact, timeLeft);
      },
    })),
  },
  {
    flaw: "a contact is blocked after it was chosen for eviction, and is gone",
    noticedBy: [BLOCKED],
    open: () => plainContacts({ gap: () => setImmediate() }),
  },
  {
    flaw: "what was met at once beyond the limit stays",
    noticedBy: [MANY],
    open: () => plainContacts({ gap: () => setImmediate(), most: 1 }),
  },
];
