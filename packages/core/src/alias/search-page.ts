import type { AliasFilter, Searched } from "./alias-filter.ts";

/**
 * How much a search examines for one page: aliases, and UTF-16 code units of their descriptions. Where descriptions are
 * hostile, 500 of these take some 0.05 ms, so that a page takes some 2 ms at worst.
 */
const MAX_EXAMINED = 400;
const MAX_TEXT_EXAMINED = 20_000;

/**
 * The page of the `candidates` that match, for stores that examine one alias after another. `candidates` come newest
 * first, and begin where the page does; not more of them are taken than the page needs. The page is full, or the last
 * one, unless 400 aliases were examined, or, where there is a search text, 20,000 characters of their descriptions.
 */
export const searchPage = <T extends Searched & { readonly id: unknown }>(
  candidates: Iterable<T>,
  limit: number,
  { q }: Pick<AliasFilter, "q">,
  matches: (candidate: T) => boolean,
): { readonly items: readonly T[]; readonly next: T["id"] | null } => {
  const items: T[] = [];
  let last: T["id"] | null = null;
  let [examined, text] = [0, 0];
  for (const candidate of candidates) {
    if (examined === MAX_EXAMINED || text >= MAX_TEXT_EXAMINED) return { items, next: last };
    if (matches(candidate)) {
      if (items.length === limit) return { items, next: last };
      items.push(candidate);
    }
    last = candidate.id;
    examined += 1;
    if (q !== undefined) text += candidate.description.length;
  }
  return { items, next: null };
};
