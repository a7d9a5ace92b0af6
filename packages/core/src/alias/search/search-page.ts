import type { AliasFilter, Searched } from "./alias-filter.ts";

/**
 * The maximum work for one page, in aliases and in UTF-16 code units of their descriptions. Comparing a hostile
 * description of 500 code units takes about 0.05 ms, so a page takes about 2 ms at most.
 */
const MAX_EXAMINED = 400;
const MAX_TEXT_EXAMINED = 20_000;

/**
 * Makes a page of the `candidates` that match, for stores that examine one alias after another. `candidates` must be in
 * the order of the list and start after `after` of the page request; only as many as the page needs are taken.
 *
 * Examines at most 400 candidates and, with a search text, about 20,000 UTF-16 code units of their descriptions. When it
 * stops there, the page is short, or even empty, and `next` continues after the last candidate examined.
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
    if (q !== undefined) text += candidate.description.length + candidate.website.length;
  }
  return { items, next: null };
};
