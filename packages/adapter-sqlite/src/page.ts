import type { Page } from "@postern/core";

/** The page of `limit` items that begins `found`, of which there are more than `limit` where another page follows. */
export const pageOf = <T extends { readonly id: Id }, Id>(
  found: readonly T[],
  limit: number,
): Page<T, Id> => {
  const items = found.slice(0, limit);
  return { items, next: found.length > limit ? (items.at(-1)?.id ?? null) : null };
};
