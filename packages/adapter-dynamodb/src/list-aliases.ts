import {
  type AccountId,
  type Alias,
  type Aliases,
  AliasFilter,
  type AliasId,
  err,
  ok,
  type Page,
  type PageRequest,
  type RecipientId,
  type Result,
  type Unavailable,
} from "@postern/core";
import { parseAliasItem, type StoredAlias } from "./alias-item.ts";
import { parseAttachmentItem } from "./attachment-writes.ts";
import { type Database, queryAll, read, readOne } from "./database.ts";
import { findAlias, withTallies } from "./find-alias.ts";
import { decodeAll, type StoredItem } from "./item.ts";
import { pageOf, type Selection } from "./pages.ts";
import { isListed } from "./recipient-item.ts";
import { deadline } from "./send-until-deadline.ts";
import { type IdRange, Key, KeyRange } from "./table.ts";

/** Of aliases that are read one after the other, so many at least must match: otherwise attachment items are cheaper. */
const MIN_SHARE = 1 / 8;

type AliasPage = Result<Page<StoredAlias, AliasId>, Unavailable>;

/** What the page lacks; null if it is full, or the last one. */
const restOf = (
  { limit }: PageRequest<AliasId>,
  { items, next }: Page<StoredAlias, AliasId>,
): PageRequest<AliasId> | null =>
  next === null || items.length === limit ? null : { limit: limit - items.length, after: next };

const selection = (filter: AliasFilter): Selection<StoredAlias> => {
  const matches = AliasFilter.matching(filter);
  return {
    filter: {
      expression: `attribute_type(deletedAt, :deleted)${filter.active === undefined ? "" : " AND active = :active"}`,
      values: {
        ":deleted": filter.deleted ? "N" : "NULL",
        ...(filter.active === undefined ? {} : { ":active": filter.active }),
      },
    },
    matches: ({ alias }) => matches(alias),
  };
};

/** The attachment items of a recipient; null if not all of its aliases have one. */
const attachmentsOf = async (
  database: Database,
  account: AccountId,
  recipient: RecipientId,
  signal: AbortSignal,
): Promise<Result<IdRange<AliasId> | null, Unavailable>> => {
  const item = await readOne(database, Key.recipient(account, recipient), signal);
  return item.map((found) =>
    found === undefined || isListed(found) ? KeyRange.attachments(account, recipient) : null,
  );
};

/** A page of the aliases that the attachment items lead to, and that match. */
const attachedPage = (
  database: Database,
  account: AccountId,
  index: IdRange<AliasId>,
  request: PageRequest<AliasId>,
  { matches }: Selection<StoredAlias>,
  signal: AbortSignal,
): Promise<AliasPage> => {
  const follow = async (items: readonly StoredItem[]) => {
    const attached = decodeAll(database, parseAttachmentItem, items);
    if (attached.isErr()) return err(attached.error);
    const keys = attached.value.map(({ alias }) => Key.alias(account, alias));
    const found = await read(database, keys, signal);
    return found.map((aliases) => aliases.filter((alias) => alias !== undefined));
  };
  return pageOf(database, parseAliasItem, index, request, { follow, matches }, signal);
};

/** The aliases with their tallies, of which `tallyItems` has all. One that has been erased meanwhile is omitted. */
const withTallyItems = async (
  database: Database,
  aliases: readonly StoredAlias[],
  tallyItems: readonly StoredItem[],
  signal: AbortSignal,
): Promise<Result<readonly Alias[], Unavailable>> => {
  const bySortKey = new Map(tallyItems.map((item) => [item.sk, item]));
  const joined: Alias[] = [];
  for (const each of aliases) {
    const { account, id } = each.alias;
    const found = Key.tallies(account, id).flatMap(({ sk }) => bySortKey.get(sk) ?? []);
    const alias = withTallies(database, each, found);
    if (alias.isErr()) return err(alias.error);
    if (alias.value !== null) {
      joined.push(alias.value);
      continue;
    }
    const again = await findAlias(database, { account, id }, [], signal);
    if (again.isErr()) return err(again.error);
    if (again.value.alias !== null) joined.push(again.value.alias);
  }
  return ok(joined);
};

/** Joins tallies to aliases in descending order, few of which are far apart: reads everything between them. */
const joinTallies = async (
  database: Database,
  aliases: readonly StoredAlias[],
  signal: AbortSignal,
): Promise<Result<readonly Alias[], Unavailable>> => {
  const [newest, oldest] = [aliases[0], aliases.at(-1)];
  if (newest === undefined || oldest === undefined) return ok([]);
  const span = KeyRange.tallies(newest.alias.account, { lowest: oldest.id, highest: newest.id });
  const items = await queryAll(database, span, signal);
  return items.isErr() ? err(items.error) : withTallyItems(database, aliases, items.value, signal);
};

/** Joins tallies to aliases that can be far apart. */
const joinTalliesByKey = async (
  database: Database,
  aliases: readonly StoredAlias[],
  signal: AbortSignal,
): Promise<Result<readonly Alias[], Unavailable>> => {
  const keys = aliases.flatMap(({ alias: { account, id } }) => Key.tallies(account, id));
  const items = await read(database, keys, signal);
  if (items.isErr()) return err(items.error);
  const present = items.value.filter((item) => item !== undefined);
  return withTallyItems(database, aliases, present, signal);
};

/**
 * A page of aliases takes the queries of `pageOf`, and one more for the tallies of those that it contains. With a recipient, only
 * the newest aliases are read at first, as many as the page can have. If the page is not full then, its attachment items
 * find the rest, after some more aliases if so many match that this is cheaper.
 */
export const listAliases =
  (database: Database): Aliases["list"] =>
  async (account, request, filter, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const selected = selection(filter);
    const listed = (each: PageRequest<AliasId>, maxQueries?: number): Promise<AliasPage> =>
      pageOf(database, parseAliasItem, KeyRange.aliases(account), each, selected, signal, maxQueries);
    const joined = async ({ items, next }: Page<StoredAlias, AliasId>) =>
      (await joinTallies(database, items, signal)).map((all) => ({ items: all, next }));

    if (filter.recipient === undefined) {
      const page = await listed(request);
      return page.isErr() ? err(page.error) : joined(page.value);
    }
    // A deleted alias has no recipients.
    if (filter.deleted) return ok({ items: [], next: null });

    const newest = await listed(request, 1);
    if (newest.isErr()) return err(newest.error);
    let near = newest.value;
    let rest = restOf(request, near);
    if (rest === null) return joined(near);
    const index = await attachmentsOf(database, account, filter.recipient, signal);
    if (index.isErr()) return err(index.error);
    if (index.value === null || near.items.length >= request.limit * MIN_SHARE) {
      const more = await listed(rest);
      if (more.isErr()) return err(more.error);
      near = { items: [...near.items, ...more.value.items], next: more.value.next };
      rest = restOf(request, near);
      if (index.value === null || rest === null) return joined(near);
    }
    const far = await attachedPage(database, account, index.value, rest, selected, signal);
    if (far.isErr()) return err(far.error);
    const first = await joinTallies(database, near.items, signal);
    if (first.isErr()) return err(first.error);
    const others = await joinTalliesByKey(database, far.value.items, signal);
    return others.map((all) => ({ items: [...first.value, ...all], next: far.value.next }));
  };
