import { err, ok, type Result, type Unavailable } from "@postern/core";
import * as z from "zod";
import { CORRUPT_ITEM } from "./cause.ts";
import { Key, SCHEMA } from "./table.ts";

/** An item as DynamoDB returned it: only its key is certain. */
export const StoredItem = z.looseObject({ pk: z.string(), sk: z.string() });
export type StoredItem = z.output<typeof StoredItem>;

/** Called for every item that is corrupt: damaged, or written by a newer version. */
export type OnCorruptItem = (key: Key) => void;

/** Reads a stored item; any failure means that the item is corrupt. */
export type ItemParser<T> = (item: StoredItem) => Result<T, { readonly code: string }>;

const CORRUPT = { code: "corrupt" } as const;

/** Parses an item of the current schema. */
export const itemParser =
  <T>(parse: ItemParser<T>): ItemParser<T> =>
  (item) =>
    item["schema"] === SCHEMA ? parse(item) : err(CORRUPT);

/**
 * Likewise, and requires that the item is stored at the key that `keyOf` returns for its content: no account may see an
 * item that belongs to another one.
 */
export const keyedItemParser = <T>(parse: ItemParser<T>, keyOf: (value: T) => Key): ItemParser<T> => {
  const parseItem = itemParser(parse);
  return (item) => {
    const parsed = parseItem(item);
    return parsed.isErr() || Key.same(item, keyOf(parsed.value)) ? parsed : err(CORRUPT);
  };
};

type Reporter = { readonly onCorruptItem: OnCorruptItem };

/** The parsed item. A corrupt item is reported, and the result is `unavailable`. */
export const decode = <T>(
  { onCorruptItem }: Reporter,
  parse: ItemParser<T>,
  item: StoredItem,
): Result<T, Unavailable> =>
  parse(item).mapErr(() => {
    onCorruptItem({ pk: item.pk, sk: item.sk });
    return CORRUPT_ITEM;
  });

/** All items parsed, unless one of them is corrupt. */
export const decodeAll = <T>(
  reporter: Reporter,
  parse: ItemParser<T>,
  items: readonly StoredItem[],
): Result<readonly T[], Unavailable> => {
  const decoded: T[] = [];
  for (const item of items) {
    const value = decode(reporter, parse, item);
    if (value.isErr()) return err(value.error);
    decoded.push(value.value);
  }
  return ok(decoded);
};
