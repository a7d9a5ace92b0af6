import { memoryStore } from "@postern/adapter-memory";
import { AliasFilter, type PageRequest, type Store } from "@postern/core";

/** How many items a page looks at. */
const MAX_EXAMINED = 5;

const few = <Id>({ limit, after }: PageRequest<Id>): PageRequest<Id> => ({
  limit: Math.min(limit, MAX_EXAMINED),
  after,
});

/**
 * A correct store that does no more work a page than a store may: it looks at a few items and returns those that match,
 * so that pages are short or empty although others follow.
 */
export const scanningStore = (): Store => {
  const store = memoryStore();
  const { aliases, mailLedger } = store;
  return {
    ...store,
    aliases: {
      ...aliases,
      list: async (account, page, filter) =>
        (await aliases.list(account, few(page), { deleted: filter.deleted })).map(({ items, next }) => ({
          items: items.filter((alias) => AliasFilter.matches(alias, filter)),
          next,
        })),
      listRetiredAddresses: (page) => aliases.listRetiredAddresses(few(page)),
    },
    mailLedger: { ...mailLedger, list: (page) => mailLedger.list(few(page)) },
    accounts: (page) => store.accounts(few(page)),
  };
};
