import { memoryStore } from "@postern/adapter-memory";
import { compareIds, ok, parseAccountId, parseAliasId } from "@postern/core";
import { AliasFilter } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { aliases, type Broken, recipients } from "./broken.ts";

const ANY_SIZE = "pages of any size list everything once, newest first";
const LAST_PAGE = "only the last page of recipients is short, and it has no next even if it is full";
const FILTERED = "a filtered list has exactly the aliases that match, newest first, in pages of any size";
const SEARCH = "a search through much text loses nothing between its pages";
const STUCK = "paging does not advance";

export const brokenPages: readonly Broken[] = [
  {
    flaw: "next is always the same alias",
    noticedBy: ["an account without data lists nothing", ANY_SIZE, FILTERED],
    says: STUCK,
    open: aliases((real) => ({
      list: async (account, page, filter) =>
        (await real.list(account, page, filter)).map(({ items }) => ({
          items,
          next: valueOf(parseAliasId("always")),
        })),
    })),
  },
  {
    flaw: "next cycles through the same values",
    noticedBy: ["an account without data lists nothing"],
    says: STUCK,
    open: aliases(() => {
      let calls = 0;
      return {
        list: async () => {
          calls += 1;
          return ok({ items: [], next: valueOf(parseAliasId(`alias-${calls % 3}`)) });
        },
      };
    }),
  },
  {
    flaw: "empty pages never end",
    noticedBy: ["an account without data lists nothing"],
    says: STUCK,
    open: aliases(() => {
      let calls = 0;
      return {
        list: async () => {
          calls += 1;
          return ok({ items: [], next: valueOf(parseAliasId(`alias-${calls}`)) });
        },
      };
    }),
  },
  {
    flaw: "a search loses the alias at which it stops",
    noticedBy: [SEARCH],
    open: aliases((real) => ({
      list: async (account, page, filter) => {
        const examined = valueOf(
          await real.list(account, { ...page, limit: 41 }, { ...filter, q: undefined }),
        );
        const first = examined.items.slice(0, examined.next === null ? 41 : 40);
        const items = first.filter((alias) => AliasFilter.matches(alias, filter)).slice(0, page.limit);
        const full = items.length === page.limit ? items.at(-1)?.id : undefined;
        return ok({ items, next: full ?? examined.next });
      },
    })),
  },
  {
    flaw: "a search continues after the last alias it found, and ends if a page is empty",
    noticedBy: [SEARCH],
    open: aliases((real) => ({
      list: async (account, page, filter) =>
        (await real.list(account, { ...page, limit: 40 }, { ...filter, q: undefined })).map((examined) => {
          const items = examined.items.filter((alias) => AliasFilter.matches(alias, filter));
          return { items: items.slice(0, page.limit), next: items.at(-1)?.id ?? null };
        }),
    })),
  },
  {
    flaw: "a search reads all of a description that is longer than 500 characters once normalized",
    noticedBy: ["a search reads the first 500 characters of a description that is longer once normalized"],
    open: aliases((real) => ({
      list: async (account, { limit, after }, filter) => {
        const all = valueOf(
          await real.list(account, { limit: 100, after: null }, { ...filter, q: undefined }),
        ).items;
        const rest = all.filter(
          (alias) =>
            (after === null || compareIds(alias.id, after) < 0) &&
            (AliasFilter.matches(alias, filter) ||
              alias.description.split(" ").includes(filter.q?.toLowerCase() ?? "")),
        );
        const items = rest.slice(0, limit);
        return ok({ items, next: rest.length > limit ? (items.at(-1)?.id ?? null) : null });
      },
    })),
  },
  {
    flaw: "next of the last page of recipients leads to that page again",
    noticedBy: [ANY_SIZE],
    says: STUCK,
    open: recipients((real) => ({
      list: async (account, page) =>
        (await real.list(account, page)).map(({ items, next }) => ({ items, next: next ?? page.after })),
    })),
  },
  {
    flaw: "a full page of recipients has a next even if it is the last one",
    noticedBy: [LAST_PAGE],
    open: recipients((real) => ({
      list: async (account, page) =>
        (await real.list(account, page)).map(({ items, next }) => ({
          items,
          next: next ?? (items.length === page.limit ? (items.at(-1)?.id ?? null) : null),
        })),
    })),
  },
  {
    flaw: "a page of recipients is shorter than it could be",
    noticedBy: [LAST_PAGE],
    open: recipients((real) => ({
      list: (account, { limit, after }) => real.list(account, { limit: Math.min(limit, 3), after }),
    })),
  },
  {
    flaw: "accounts start over after the last one",
    noticedBy: ["accounts lists each account that has stored data once"],
    says: STUCK,
    open: () => {
      const store = memoryStore();
      return {
        ...store,
        accounts: async (page) =>
          (await store.accounts(page)).map(({ items, next }) => ({
            items,
            next: next ?? valueOf(parseAccountId("🙂🙂")),
          })),
      };
    },
  },
  {
    flaw: "a full page is treated as the last one",
    noticedBy: [ANY_SIZE],
    open: aliases((real) => ({
      list: async (account, page, filter) =>
        (await real.list(account, page, filter)).map(({ items }) => ({ items, next: null })),
    })),
  },
  {
    flaw: "the next page starts with the last alias of this one",
    noticedBy: [ANY_SIZE],
    open: aliases((real) => ({
      list: async (account, page, filter) =>
        (await real.list(account, page, filter)).map(({ items, next }) => ({
          items,
          next: next && (items.at(-2)?.id ?? next),
        })),
    })),
  },
  {
    flaw: "a page has one alias more than requested",
    noticedBy: [ANY_SIZE],
    open: aliases((real) => ({
      list: (account, { limit, after }, filter) => real.list(account, { limit: limit + 1, after }, filter),
    })),
  },
  {
    flaw: "ids are listed in the order of their UTF-16 code units",
    noticedBy: ["ids in any script are listed in code point order"],
    open: aliases((real) => ({
      list: async (account, { limit, after }, filter) => {
        const all = valueOf(await real.list(account, { limit: 100, after: null }, filter)).items;
        const rest = all
          .filter(({ id }) => after === null || id < after)
          .toSorted((a, b) => (a.id < b.id ? 1 : -1));
        const items = rest.slice(0, limit);
        return ok({ items, next: rest.length > limit ? (items.at(-1)?.id ?? null) : null });
      },
    })),
  },
  {
    flaw: "a page that starts after a deleted alias is empty",
    noticedBy: ["a page can start after an alias that is no longer listed"],
    open: aliases((real) => ({
      list: async (account, page, filter) => {
        const found = page.after && (await real.findWithRecipients(account, page.after, []));
        const alias = found?.isOk() ? found.value.alias : null;
        const lost = page.after !== null && (alias === null || !AliasFilter.matches(alias, filter));
        return lost ? ok({ items: [], next: null }) : real.list(account, page, filter);
      },
    })),
  },
  {
    flaw: "a page starts at an offset",
    noticedBy: ["an alias created during a walk does not appear on the pages that follow"],
    open: aliases((real) => {
      const placeOf = new Map<string, number>();
      return {
        list: async (account, { limit, after }, filter) => {
          const all = valueOf(await real.list(account, { limit: 100, after: null }, filter)).items;
          const known = after && placeOf.get(after);
          const start = after === null ? 0 : (known ?? all.findIndex(({ id }) => id === after) + 1);
          const items = all.slice(start, start + limit);
          const last = items.at(-1);
          if (last !== undefined) placeOf.set(last.id, start + limit);
          return ok({ items, next: start + limit < all.length ? (last?.id ?? null) : null });
        },
      };
    }),
  },
  {
    flaw: "a page that starts after a removed recipient is the first one",
    noticedBy: ["a page can start after a recipient that was removed"],
    open: recipients((real) => ({
      list: async (account, { limit, after }) => {
        const found = after && (await real.find(account, after));
        const lost = found?.isOk() && found.value === null;
        return real.list(account, { limit, after: lost ? null : after });
      },
    })),
  },
  {
    flaw: "deleted aliases are listed with the live ones",
    noticedBy: ["deleted aliases are listed only on request"],
    open: aliases((real) => ({
      list: async (account, { limit, after }, filter) => {
        const [live, gone] = [
          valueOf(await real.list(account, { limit: 100, after }, { ...filter, deleted: false })).items,
          valueOf(await real.list(account, { limit: 100, after }, { ...filter, deleted: true })).items,
        ];
        const all = [...live, ...gone].toSorted((a, b) => compareIds(b.id, a.id));
        const items = all.slice(0, limit);
        return ok({ items, next: all.length > limit ? (items.at(-1)?.id ?? null) : null });
      },
    })),
  },
  {
    flaw: "a search finds text anywhere in the description",
    noticedBy: [FILTERED],
    open: aliases((real) => ({
      list: async (account, { limit, after }, { q, ...filter }) =>
        (await real.list(account, { limit: 100, after }, filter)).map(({ items }) => {
          const found = items.filter(
            ({ email, description }) => q === undefined || `${email} ${description}`.includes(q),
          );
          const shown = found.slice(0, limit);
          return { items: shown, next: found.length > limit ? (shown.at(-1)?.id ?? null) : null };
        }),
    })),
  },
  {
    flaw: "the filter by recipient is ignored",
    noticedBy: [
      FILTERED,
      "after every step of a random sequence of operations, the store matches a plain model",
    ],
    open: aliases((real) => ({
      list: (account, page, { recipient: _, ...filter }) => real.list(account, page, filter),
    })),
  },
];
