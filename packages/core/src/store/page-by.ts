import { compareIds } from "../values/identifiers.ts";
import type { Page, PageRequest } from "../values/page.ts";
import { pageOf } from "./page-of.ts";

/** The items of `all` that come after `after`, in descending order of `keyOf`. */
const newestFirst = <T, Key extends string>(
  all: Iterable<T>,
  keyOf: (item: T) => Key,
  after: Key | null,
): readonly T[] =>
  [...all]
    .filter((item) => after === null || compareIds(keyOf(item), after) < 0)
    .sort((a, b) => compareIds(keyOf(b), keyOf(a)));

/** The requested page of `all`, in descending order of `keyOf`. */
export const pageBy = <T, Key extends string>(
  all: Iterable<T>,
  keyOf: (item: T) => Key,
  { limit, after }: PageRequest<Key>,
): Page<T, Key> => pageOf(newestFirst(all, keyOf, after), limit, keyOf);
