import type { Page } from "@postern/core";

/** The first `limit` of the values `found`, one of which may be beyond the page to show that another one follows. */
export const pageOfValues = <T>(found: readonly T[], limit: number): Page<T, T> => {
  const items = found.slice(0, limit);
  return { items, next: found.length > limit ? (items.at(-1) ?? null) : null };
};

/** Likewise, of what is identified by its `id`. */
export const pageOf = <T extends { readonly id: Id }, Id>(
  found: readonly T[],
  limit: number,
): Page<T, Id> => {
  const { items, next } = pageOfValues(found, limit);
  return { items, next: next?.id ?? null };
};
