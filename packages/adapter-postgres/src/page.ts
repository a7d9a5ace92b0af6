import type { Page } from "@postern/core";

/**
 * A page of the first `limit` values of `found`. One value more than `limit` means that another page follows: after the key
 * of the last value on this one.
 */
export const pageOf = <T, Key>(
  found: readonly T[],
  limit: number,
  keyOf: (value: T) => Key,
): Page<T, Key> => {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, next: found.length > limit && last !== undefined ? keyOf(last) : null };
};
