import { memoryStore } from "@postern/adapter-memory";
import type { Store } from "@postern/core";
import { AliasFilter, type PageRequest } from "@postern/core/store";
import { inTime } from "./intercepted.ts";

/** How many items a page examines. */
const MAX_EXAMINED = 5;

const few = <Id>({ limit, after }: PageRequest<Id>): PageRequest<Id> => ({
  limit: Math.min(limit, MAX_EXAMINED),
  after,
});

/**
 * A correct store that bounds its work per page: it examines a few items and returns those that match, so pages can be
 * short or empty even though others follow.
 */
export const scanningStore = (): Store => {
  const store = memoryStore();
  const { aliases, mailLedger } = store;
  return inTime({
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
  });
};
