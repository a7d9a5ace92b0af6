import { memoryStore } from "@postern/adapter-memory";
import type { Store } from "@postern/core";
import { AliasFilter, type PageRequest } from "@postern/core/store";
import { changingFirst } from "./faults.ts";
import { changed, inTime } from "./intercepted.ts";

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
export const scanningStore = (): Store =>
  inTime(
    changed(memoryStore(), {
      "aliases.list": async (list, account, page, filter) =>
        (await list(account, few(page), { deleted: filter.deleted })).map(({ items, next }) => ({
          items: items.filter((alias) => AliasFilter.matches(alias, filter)),
          next,
        })),
      "aliases.listRetiredAddresses": changingFirst(few),
      "mailLedger.list": changingFirst(few),
      accounts: changingFirst(few),
    }),
  );
