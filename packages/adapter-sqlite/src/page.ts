import type { Page } from "@postern/core";

/** A page of the first `limit` values of `found`. One value more than `limit` means that another page follows. */
export const pageOfValues = <T>(found: readonly T[], limit: number): Page<T, T> => {
  const items = found.slice(0, limit);
  return { items, next: found.length > limit ? (items.at(-1) ?? null) : null };
};

/** Likewise, for items with an `id`. */
export const pageOf = <T extends { readonly id: Id }, Id>(
  found: readonly T[],
  limit: number,
): Page<T, Id> => {
  const { items, next } = pageOfValues(found, limit);
  return { items, next: next?.id ?? null };
};
