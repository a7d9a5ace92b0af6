import {
  type AccountId,
  type Alias,
  compareIds,
  ok,
  parseAccountId,
  parseAliasId,
  type Store,
} from "@postern/core";
import { AliasFilter, pageOf } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { changingSecond, continuing } from "../faults.ts";
import { ALL, storedAlias } from "../stored.ts";
import { type Broken, endingWithEmptyPage, type Fault, flaw, flawsBy, saying } from "./broken.ts";

const ACCOUNTS = "accounts lists each account that has stored data once";
const LONG = "a search reads the first 500 characters of a description that is longer once normalized";
const ANY_SCRIPT = "ids in any script are listed in code point order";
const AFTER_DELETED = "a page can start after an alias that is no longer listed";
const DURING_WALK = "an alias created during a walk does not appear on the pages that follow";
const AFTER_REMOVED = "a page can start after a recipient that was removed";
const ON_REQUEST = "deleted aliases are listed only on request";
const NO_DATA = "an account without data lists nothing";
const ANY_SIZE = "pages of any size list everything once, newest first";
const LAST_PAGE = "only the last page of recipients is short, and it has no next even if it is full";
const FILTERED = "a filtered list has exactly the aliases that match, newest first, in pages of any size";
const SEARCH = "a search through much text loses nothing between its pages";
const MODEL = "after every step of a random sequence of operations, the store matches a plain model";

const aliasId = (id: string) => valueOf(parseAliasId(id));

/** The aliases that match at all, newest first. */
const allAliases = async (
  { aliases }: Store,
  account: AccountId,
  filter: AliasFilter,
): Promise<readonly Alias[]> => valueOf(await aliases.list(account, ALL, filter)).items;

type ListAll = (store: Store, account: AccountId, filter: AliasFilter) => Promise<readonly Alias[]>;
type CompareIds = (id: string, after: string) => boolean;

/** The list has the aliases that `all` returns, in the order in which it does. */
const listingAliases = flawsBy(
  (all: ListAll, comesAfter: CompareIds = (id, after) => compareIds(id, after) < 0): Fault =>
    (store) => ({
      "aliases.list": async (_, account, { limit, after }, filter) => {
        const found = await all(store, account, filter);
        const rest = found.filter(({ id }) => after === null || comesAfter(id, after));
        return ok(pageOf(rest, limit, ({ id }) => id));
      },
    }),
);

/** Nothing is listed, and another page follows. */
const listingNothing = flawsBy(
  (nextOf: (calls: number) => string): Fault =>
    () => {
      let calls = 0;
      return {
        "aliases.list": async () => {
          calls += 1;
          return ok({ items: [], next: aliasId(nextOf(calls)) });
        },
      };
    },
);

export const brokenPages: readonly Broken[] = [
  ...saying("paging does not advance", [
    flaw("next is always the same alias", [NO_DATA, ANY_SIZE, FILTERED], {
      "aliases.list": continuing(() => aliasId("always")),
    }),
    listingNothing("next cycles through the same values", [NO_DATA], (calls) => `alias-${calls % 3}`),
    listingNothing("empty pages never end", [NO_DATA], (calls) => `alias-${calls}`),
    flaw("next of the last page of recipients leads to that page again", [ANY_SIZE], {
      "recipients.list": continuing(({ next }, _account, { after }) => next ?? after),
    }),
    flaw("accounts start over after the last one", [ACCOUNTS], {
      accounts: continuing(({ next }) => next ?? valueOf(parseAccountId("🙂🙂"))),
    }),
  ]),
  flaw("a search loses the alias at which it stops", [SEARCH], {
    "aliases.list": async (list, account, page, filter) => {
      const examined = valueOf(await list(account, { ...page, limit: 41 }, { ...filter, q: undefined }));
      const first = examined.items.slice(0, examined.next === null ? 41 : 40);
      const items = first.filter((alias) => AliasFilter.matches(alias, filter)).slice(0, page.limit);
      const full = items.length === page.limit ? items.at(-1)?.id : undefined;
      return ok({ items, next: full ?? examined.next });
    },
  }),
  flaw("a search continues after the last alias it found, and ends if a page is empty", [SEARCH], {
    "aliases.list": async (list, account, page, filter) => {
      const examined = valueOf(await list(account, { ...page, limit: 40 }, { ...filter, q: undefined }));
      const items = examined.items.filter((alias) => AliasFilter.matches(alias, filter));
      return ok({ items: items.slice(0, page.limit), next: items.at(-1)?.id ?? null });
    },
  }),
  listingAliases(
    "a search reads all of a description that is longer than 500 characters once normalized",
    [LONG],
    async (store, account, filter) =>
      (await allAliases(store, account, { ...filter, q: undefined })).filter(
        (alias) =>
          AliasFilter.matches(alias, filter) ||
          alias.description.split(" ").includes(filter.q?.toLowerCase() ?? ""),
      ),
  ),
  flaw("a full page of recipients has a next even if it is the last one", [LAST_PAGE], {
    "recipients.list": endingWithEmptyPage(({ id }) => id),
  }),
  flaw("a page of recipients is shorter than it could be", [LAST_PAGE], {
    "recipients.list": changingSecond(({ limit, after }) => ({ limit: Math.min(limit, 3), after })),
  }),
  flaw("a full page is treated as the last one", [ANY_SIZE], { "aliases.list": continuing(() => null) }),
  flaw("the next page starts with the last alias of this one", [ANY_SIZE], {
    "aliases.list": continuing(({ items, next }) => next && (items.at(-2)?.id ?? next)),
  }),
  flaw("a page has one alias more than requested", [ANY_SIZE], {
    "aliases.list": changingSecond(({ limit, after }) => ({ limit: limit + 1, after })),
  }),
  listingAliases(
    "ids are listed in the order of their UTF-16 code units",
    [ANY_SCRIPT],
    async (...args) => (await allAliases(...args)).toSorted((a, b) => (a.id < b.id ? 1 : -1)),
    (id, after) => id < after,
  ),
  flaw("a page that starts after a deleted alias is empty", [AFTER_DELETED], (store) => ({
    "aliases.list": async (list, account, page, filter) => {
      const last = page.after && (await storedAlias(store, { account, id: page.after }));
      const isLost = page.after !== null && !(last && AliasFilter.matches(last, filter));
      return isLost ? ok({ items: [], next: null }) : list(account, page, filter);
    },
  })),
  flaw("a page starts at an offset", [DURING_WALK], (store) => {
    const offsets = new Map<string, number>();
    return {
      "aliases.list": async (_, account, { limit, after }, filter) => {
        const all = await allAliases(store, account, filter);
        const known = after && offsets.get(after);
        const start = after === null ? 0 : (known ?? all.findIndex(({ id }) => id === after) + 1);
        const page = pageOf(all.slice(start), limit, ({ id }) => id);
        if (page.next !== null) offsets.set(page.next, start + limit);
        return ok(page);
      },
    };
  }),
  flaw(
    "a page that starts after a removed recipient is the first one",
    [AFTER_REMOVED],
    ({ recipients }) => ({
      "recipients.list": async (list, account, { limit, after }) => {
        const isLost = after !== null && valueOf(await recipients.find(account, after)) === null;
        return list(account, { limit, after: isLost ? null : after });
      },
    }),
  ),
  listingAliases(
    "deleted aliases are listed with the live ones",
    [ON_REQUEST],
    async (store, account, filter) => {
      const live = await allAliases(store, account, { ...filter, deleted: false });
      const gone = await allAliases(store, account, { ...filter, deleted: true });
      return [...live, ...gone].toSorted((a, b) => compareIds(b.id, a.id));
    },
  ),
  listingAliases(
    "a search finds text anywhere in the description",
    [FILTERED],
    async (store, account, { q = "", ...filter }) =>
      (await allAliases(store, account, filter)).filter(({ email, description }) =>
        `${email} ${description}`.includes(q),
      ),
  ),
  flaw("the filter by recipient is ignored", [FILTERED, MODEL], {
    "aliases.list": (list, account, page, { recipient: _, ...filter }) => list(account, page, filter),
  }),
];
