import { memoryStore } from "@postern/adapter-memory";
import { type AccountId, type Alias, attachments, EventId, isNonEmpty, type Store } from "@postern/core";
import { err, ok } from "neverthrow";

/*
 * Stores that are wrong in one way each. They are made of the store that is right, so that nothing else is
 * wrong with them. What an author of an adapter might get wrong is here; the contract must notice.
 */

type Broken = { readonly flaw: string; readonly noticedBy: string; open(): Store };

const keyOf = ({ account, id }: Pick<Alias, "account" | "id">) => JSON.stringify([account, id]);

const withAliases = (store: Store, change: Partial<Store["aliases"]>): Store => ({
  ...store,
  aliases: { ...store.aliases, ...change },
});

const withRecipients = (store: Store, change: Partial<Store["recipients"]>): Store => ({
  ...store,
  recipients: { ...store.recipients, ...change },
});

/** The alias as it is stored, whatever version the caller thinks it has. */
const stored = async (
  store: Store,
  { account, id }: Pick<Alias, "account" | "id">,
): Promise<Alias | null> => {
  const found = await store.aliases.findWithRecipients(account, id, []);
  return found.isOk() ? found.value.alias : null;
};

export const brokenStores: readonly Broken[] = [
  {
    flaw: "no version check",
    noticedBy: "a save that started from an older version changes nothing",
    open: () => {
      const store = memoryStore();
      return withAliases(store, {
        save: async (before, after) => store.aliases.save((await stored(store, before)) ?? before, after),
      });
    },
  },
  {
    flaw: "the version is checked apart from the write",
    noticedBy: "of many saves from one version exactly one is made, whole",
    open: () => {
      const store = memoryStore();
      return withAliases(store, {
        save: async (before, after) => {
          const first = await stored(store, before);
          if (first?.version !== before.version) return err({ code: "conflict" });
          for (let tries = 0; tries < 9; tries += 1) {
            const saved = await store.aliases.save((await stored(store, before)) ?? before, after);
            if (saved.isOk()) return saved;
          }
          return err({ code: "conflict" });
        },
      });
    },
  },
  {
    flaw: "the set is merged instead of replaced",
    noticedBy:
      "after any run of saves an alias has exactly the recipients of the last one, in order, and the counts agree",
    open: () => {
      const store = memoryStore();
      return withAliases(store, {
        save: (before, after) => {
          const { detached } = attachments(before, after);
          const left = before.destinations.filter(({ recipientId }) => detached.includes(recipientId));
          return store.aliases.save(before, { ...after, destinations: [...after.destinations, ...left] });
        },
      });
    },
  },
  {
    flaw: "the order is lost",
    noticedBy:
      "after any run of saves an alias has exactly the recipients of the last one, in order, and the counts agree",
    open: () => {
      const store = memoryStore();
      return withAliases(store, {
        save: (before, after) => {
          const sorted = after.destinations.toSorted((a, b) => (a.recipientId < b.recipientId ? -1 : 1));
          return store.aliases.save(before, isNonEmpty(sorted) ? { ...after, destinations: sorted } : after);
        },
      });
    },
  },
  {
    flaw: "eligibility is not checked at save",
    noticedBy: "a save that attaches a recipient that is unknown, unverified or inactive changes nothing",
    open: () => {
      const store = memoryStore();
      const unchecked = new Map<string, Alias>();
      return withAliases(store, {
        findWithRecipients: async (account, id, ids) =>
          (await store.aliases.findWithRecipients(account, id, ids)).map((found) => ({
            ...found,
            alias: unchecked.get(keyOf({ account, id })) ?? found.alias,
          })),
        save: async (before, after) => {
          const saved = await store.aliases.save(before, after);
          if (saved.isOk() || (await stored(store, before))?.version !== before.version) return saved;
          unchecked.set(keyOf(before), after);
          return ok();
        },
      });
    },
  },
  {
    flaw: "a recipient is deactivated whoever holds it",
    noticedBy: "a recipient that an alias holds stays active and verified until the alias lets it go",
    open: () => {
      const store = memoryStore();
      const off = new Set<string>();
      return withRecipients(store, {
        find: async (account, id) =>
          (await store.recipients.find(account, id)).map(
            (recipient) => recipient && { ...recipient, active: recipient.active && !off.has(id) },
          ),
        save: async (before, after) => {
          const saved = await store.recipients.save(before, after);
          if (saved.isErr() && !after.active) off.add(after.id);
          return saved.isErr() && !after.active ? ok() : saved;
        },
      });
    },
  },
  {
    flaw: "the tenant is ignored when reading",
    noticedBy: "an account sees nothing of another one",
    open: () => {
      const store = memoryStore();
      const accounts = new Set<AccountId>();
      return withRecipients(store, {
        create: async (recipient) => {
          accounts.add(recipient.account);
          return store.recipients.create(recipient);
        },
        find: async (account, id) => {
          const own = await store.recipients.find(account, id);
          if (own.isOk() && own.value !== null) return own;
          for (const other of accounts) {
            const found = await store.recipients.find(other, id);
            if (found.isOk() && found.value !== null) return found;
          }
          return own;
        },
      });
    },
  },
  {
    flaw: "accounts and ids are joined into one key",
    noticedBy: "any two different pairs of account and id are kept apart",
    open: () => {
      const store = memoryStore();
      const joined = new Map<string, Parameters<Store["recipients"]["create"]>[0]>();
      return withRecipients(store, {
        create: async (recipient) => {
          joined.set(`${recipient.account}#${recipient.id}`, recipient);
          return store.recipients.create(recipient);
        },
        find: async (account, id) => ok(joined.get(`${account}#${id}`) ?? null),
      });
    },
  },
  {
    flaw: "the count of aliases drifts: letting go is not counted",
    noticedBy:
      "after any run of saves an alias has exactly the recipients of the last one, in order, and the counts agree",
    open: () => {
      const store = memoryStore();
      const drift = new Map<string, number>();
      return {
        ...withAliases(store, {
          save: async (before, after) => {
            const saved = await store.aliases.save(before, after);
            if (saved.isOk()) {
              for (const id of attachments(before, after).detached) drift.set(id, (drift.get(id) ?? 0) + 1);
            }
            return saved;
          },
        }),
        recipients: {
          ...store.recipients,
          find: async (account, id) =>
            (await store.recipients.find(account, id)).map(
              (recipient) =>
                recipient && { ...recipient, attached: recipient.attached + (drift.get(id) ?? 0) },
            ),
        },
      };
    },
  },
  {
    flaw: "alias addresses are unique in their account only",
    noticedBy: "an alias address is unique over all accounts, whatever its case",
    open: () => {
      const first = memoryStore();
      const others = memoryStore();
      const owners = new Map<string, AccountId>();
      return withAliases(first, {
        create: async (alias) => {
          const address = alias.email.toLowerCase();
          const owner = owners.get(address) ?? alias.account;
          owners.set(address, owner);
          return owner === alias.account ? first.aliases.create(alias) : ok();
        },
        list: others.aliases.list,
      });
    },
  },
  {
    flaw: "saving an alias overwrites its tallies",
    noticedBy: "a save keeps every field it was given but the tallies",
    open: () => {
      const store = memoryStore();
      const tallies = new Map<string, Alias["tallies"]>();
      return withAliases(store, {
        save: async (before, after) => {
          tallies.set(keyOf(after), after.tallies);
          return store.aliases.save(before, after);
        },
        findWithRecipients: async (account, id, ids) =>
          (await store.aliases.findWithRecipients(account, id, ids)).map(({ alias, recipients }) => ({
            recipients,
            alias: alias && { ...alias, tallies: tallies.get(keyOf(alias)) ?? alias.tallies },
          })),
      });
    },
  },
  {
    flaw: "a page that is exactly full is taken for the last one",
    noticedBy: "the pages of any size hold everything once, newest first",
    open: () => {
      const store = memoryStore();
      return withAliases(store, {
        list: async (account, request, filter) =>
          (await store.aliases.list(account, request, filter)).map((page) => ({ ...page, next: null })),
      });
    },
  },
  {
    flaw: "the next page begins with the last item of this one",
    noticedBy: "the pages of any size hold everything once, newest first",
    open: () => {
      const store = memoryStore();
      return withAliases(store, {
        list: async (account, request, filter) => {
          const page = await store.aliases.list(account, request, filter);
          return page.map(({ items, next }) => ({ items, next: next && (items.at(-2)?.id ?? next) }));
        },
      });
    },
  },
  {
    flaw: "a word is looked for anywhere in the description",
    noticedBy: "a filtered list shows exactly the aliases that match, newest first, in pages of any size",
    open: () => {
      const store = memoryStore();
      return withAliases(store, {
        list: async (account, { limit, after }, { q, ...filter }) =>
          (await store.aliases.list(account, { limit: 100, after }, filter)).map(({ items }) => {
            const found = items.filter(
              ({ email, description }) => q === undefined || `${email} ${description}`.includes(q),
            );
            const shown = found.slice(0, limit);
            return { items: shown, next: found.length > limit ? (shown.at(-1)?.id ?? null) : null };
          }),
      });
    },
  },
  {
    flaw: "deleted aliases are listed",
    noticedBy: "deleted aliases are not listed",
    open: () => {
      const store = memoryStore();
      return withAliases(store, {
        list: async (account, request, { deleted: _, ...filter }) => {
          const [live, gone] = [
            await store.aliases.list(account, request, { ...filter, deleted: false }),
            await store.aliases.list(account, request, { ...filter, deleted: true }),
          ];
          return live.map((page) => ({
            ...page,
            items: [...page.items, ...(gone.isOk() ? gone.value.items : [])],
          }));
        },
      });
    },
  },
  {
    flaw: "events are counted as often as they are told",
    noticedBy:
      "each event is counted once, in whatever order and however often it is told, and settings stay",
    open: () => {
      const store = memoryStore();
      let serial = 0;
      return withAliases(store, {
        recordOutcome: (alias, event) => {
          serial += 1;
          return store.aliases.recordOutcome(alias, { ...event, id: EventId.parse(`${event.id}-${serial}`) });
        },
      });
    },
  },
  {
    flaw: "the identity of an event is looked up in one place for all aliases",
    noticedBy: "an event is one alias's: the same id told of another alias is another event",
    open: () => {
      const store = memoryStore();
      const told = new Set<string>();
      return withAliases(store, {
        recordOutcome: async (alias, event) => {
          if (told.has(event.id)) return ok("repeated");
          told.add(event.id);
          return store.aliases.recordOutcome(alias, event);
        },
      });
    },
  },
  {
    flaw: "counting mail makes a new version",
    noticedBy:
      "each event is counted once, in whatever order and however often it is told, and settings stay",
    open: () => {
      const store = memoryStore();
      return withAliases(store, {
        recordOutcome: async (reference, event) => {
          const recorded = await store.aliases.recordOutcome(reference, event);
          const alias = "id" in reference ? await stored(store, reference) : null;
          if (alias !== null) await store.aliases.save(alias, { ...alias, version: alias.version + 1 });
          return recorded;
        },
      });
    },
  },
  {
    flaw: "a recipient is removed whoever holds it",
    noticedBy: "a recipient that an alias holds, or that has changed since, is not removed",
    open: () => {
      const store = memoryStore();
      const removed = new Set<string>();
      return withRecipients(store, {
        find: async (account, id) =>
          (await store.recipients.find(account, id)).map((found) => (removed.has(id) ? null : found)),
        remove: async (recipient) => {
          removed.add(recipient.id);
          return ok();
        },
      });
    },
  },
  {
    flaw: "the address of a removed recipient stays taken",
    noticedBy: "a recipient that was removed is gone, and its address free again",
    open: () => {
      const store = memoryStore();
      const taken = new Set<string>();
      return withRecipients(store, {
        create: async (recipient) =>
          taken.has(JSON.stringify([recipient.account, recipient.email]))
            ? err({ code: "address_taken" })
            : store.recipients.create(recipient),
        remove: async (recipient) => {
          taken.add(JSON.stringify([recipient.account, recipient.email]));
          return store.recipients.remove(recipient);
        },
      });
    },
  },
  {
    flaw: "a deleted alias takes its recipients along",
    noticedBy:
      "a deleted alias lets its recipients go, keeps its address, and takes them again when it comes back",
    open: () => {
      const store = memoryStore();
      const gone = new Map<string, Alias>();
      return withAliases(store, {
        findWithRecipients: async (account, id, ids) =>
          (await store.aliases.findWithRecipients(account, id, ids)).map((found) => ({
            ...found,
            alias: gone.get(keyOf({ account, id })) ?? found.alias,
          })),
        save: async (before, after) => {
          if (after.deletedAt === null) return store.aliases.save(before, after);
          gone.set(keyOf(after), after);
          return ok();
        },
      });
    },
  },
  {
    flaw: "an account is listed once for each thing it keeps",
    noticedBy: "every account that keeps anything is found once",
    open: () => {
      const store = memoryStore();
      return {
        ...store,
        accounts: async (request) =>
          (await store.accounts(request)).map((page) => ({ ...page, items: [...page.items, ...page.items] })),
      };
    },
  },
];
