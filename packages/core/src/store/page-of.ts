import type { Page } from "../values/page.ts";

/**
 * The page that a store returns after reading up to `limit` + 1 items. The extra item is not on the page: it only shows that another page
 * follows, after the key of the last item on this one.
 *
 * @param found in the order of the list, from the beginning of the page
 * @example
 * ```ts
 * const rows = await query("… WHERE key > $1 ORDER BY key LIMIT $2", after ?? "", limit + 1);
 * return ok(pageOf(rows.map(entryOf), limit, ({ key }) => key));
 * ```
 */
export const pageOf = <T, Key>(found: readonly T[], limit: number, keyOf: (item: T) => Key): Page<T, Key> => {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, next: found.length > limit && last !== undefined ? keyOf(last) : null };
};
