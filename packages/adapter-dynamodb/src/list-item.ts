import { randomUUID } from "node:crypto";
import {
  type AccountId,
  err,
  isNonEmpty,
  type NonEmpty,
  ok,
  type Result,
  type Unavailable,
} from "@postern/core";
import * as z from "zod";
import { type Database, readOne, transact, type Write } from "./database.ts";
import { decode, type ItemParser, itemParser, type StoredItem } from "./item.ts";
import { pause, tooLate } from "./send-until-deadline.ts";
import { Key, SCHEMA } from "./table.ts";

/*
 * Things of which an account has few, such as webhooks, are one item, so that one read lists them and their limit cannot be exceeded.
 * Every write replaces the item that was read. It contains a random revision rather than a number, which would start over when an account
 * without such things gets one: so whoever has read an item never replaces a different one. An account without any has no item.
 */

export type StoredList<T> = {
  readonly all: NonEmpty<T>;
  /** Different after every write. */
  readonly revision: string;
};

/** How an item lists things of one kind. */
export type ListItem<T> = {
  readonly keyOf: (account: AccountId) => Key;
  readonly parse: ItemParser<StoredList<T>>;
  /** The attributes that the things are stored in. */
  readonly attributes: (all: readonly T[]) => Readonly<Record<string, unknown>>;
};

const StoredRevision = z.object({ revision: z.uuid() });

const CORRUPT = err({ code: "corrupt" });

/** @param stored what the item lists, as stored; null if that is not a list */
export const listParser = <T extends { readonly account: AccountId }>(
  keyOf: ListItem<T>["keyOf"],
  stored: (item: StoredItem) => readonly unknown[] | null,
  parse: (each: unknown) => Result<T, unknown>,
): ListItem<T>["parse"] =>
  itemParser((item) => {
    const { data } = StoredRevision.safeParse(item);
    const all: T[] = [];
    for (const each of stored(item) ?? []) {
      const parsed = parse(each);
      if (parsed.isErr() || !Key.same(item, keyOf(parsed.value.account))) return CORRUPT;
      all.push(parsed.value);
    }
    return data !== undefined && isNonEmpty(all) ? ok({ all, revision: data.revision }) : CORRUPT;
  });

/** Null if the account has none. */
export const readList = async <T>(
  database: Database,
  { keyOf, parse }: ListItem<T>,
  account: AccountId,
  signal: AbortSignal,
): Promise<Result<StoredList<T> | null, Unavailable>> => {
  const item = await readOne(database, keyOf(account), signal);
  if (item.isErr()) return err(item.error);
  return item.value === undefined ? ok(null) : decode(database, parse, item.value);
};

/** Replaces what is listed; refused unless the item is still as it was `before`, or if there is one now and there was none. */
export const replaceList = <T>(
  table: string,
  { keyOf, attributes }: ListItem<T>,
  account: AccountId,
  before: StoredList<T> | null,
  after: readonly T[],
): Write => {
  const key = { ...keyOf(account) };
  const condition =
    before === null
      ? { ConditionExpression: "attribute_not_exists(pk)" }
      : {
          ConditionExpression: "revision = :before",
          ExpressionAttributeValues: { ":before": before.revision },
        };
  if (after.length === 0) return { Delete: { TableName: table, Key: key, ...condition } };
  const item = { ...key, schema: SCHEMA, revision: randomUUID(), ...attributes(after) };
  return { Put: { TableName: table, Item: item, ...condition } };
};

/** What becomes of a list. */
export type Change<T, E> = {
  readonly after: readonly T[];
  /** Applied together with that. If the condition of the write does not hold, nothing is written, and the call fails with `refusal`. */
  readonly also?: { readonly write: Write; readonly refusal?: E } | undefined;
};

/** Others kept changing the list. */
const CONTENDED = tooLate("conflicts");

/** Replaces what the item lists with what `change` makes of it. Writes nothing if that is null or an error. */
export const changeList = async <T, E = never>(
  database: Database,
  item: ListItem<T>,
  account: AccountId,
  change: (before: readonly T[]) => Result<Change<T, E> | null, E>,
  signal: AbortSignal,
): Promise<Result<void, E | Unavailable>> => {
  for (let attempt = 1; ; attempt += 1) {
    const stored = await readList(database, item, account, signal);
    if (stored.isErr()) return err(stored.error);
    const changed = change(stored.value?.all ?? []);
    if (changed.isErr()) return err(changed.error);
    if (changed.value === null) return ok();
    const { after, also } = changed.value;
    const write = replaceList(database.table, item, account, stored.value, after);
    const written = await transact(database, also === undefined ? [write] : [write, also.write], signal);
    if (written.isOk()) return ok();
    if (written.error.code === "unavailable") return err(written.error);
    const [, isRefused] = written.error.refused;
    if (isRefused && also?.refusal !== undefined) return err(also.refusal);
    if (!(await pause(attempt + 1, signal))) return err(CONTENDED);
  }
};
