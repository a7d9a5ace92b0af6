import {
  type AccountId,
  type Alias,
  type AliasId,
  compareIds,
  err,
  ok,
  type RecipientId,
  type Result,
  type Unavailable,
} from "@postern/core";
import { type Aliases, AliasFilter, type Page, type PageRequest } from "@postern/core/store";
import { parseAliasItem, type StoredAlias } from "./alias-item.ts";
import { parseAttachmentItem } from "./attachment-writes.ts";
import { type Database, queryAll, read, readOne } from "./database.ts";
import { findAlias, withTallies } from "./find-alias.ts";
import { decodeAll, type StoredItem } from "./item.ts";
import { pageOf, type Selection } from "./pages.ts";
import { isListed } from "./recipient-item.ts";
import { searchReadiness, soughtAliases } from "./search-index.ts";
import { deadline } from "./send-until-deadline.ts";
import { type IdRange, Key, KeyRange } from "./table.ts";

/** If aliases are read one after another, at least this share must match: otherwise attachment items are cheaper. */
const MIN_SHARE = 1 / 8;

type AliasPage = Result<Page<StoredAlias, AliasId>, Unavailable>;

/** The request for the rest of the page; null if the page is full, or the last one. */
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

/** How many more aliases than its limit a page of a search compares if some do not match. Each costs a read unit. */
const MAX_COMPARED = 100;

/** A page of the matching aliases among `ids`, which must be in order. */
const soughtPage = async (
  database: Database,
  account: AccountId,
  ids: readonly AliasId[],
  { limit, after }: PageRequest<AliasId>,
  { matches }: Selection<StoredAlias>,
  signal: AbortSignal,
): Promise<AliasPage> => {
  const left = after === null ? ids : ids.filter((id) => compareIds(id, after) < 0);
  const items: StoredAlias[] = [];
  let compared = 0;
  // Aliases that do not match are deleted or inactive, for example, or have just changed: usually the first request is enough.
  for (const size of [limit, MAX_COMPARED]) {
    if (items.length >= limit) break;
    const some = left.slice(compared, compared + size);
    const keys = some.map((id) => Key.alias(account, id));
    const found = await read(database, keys, signal);
    if (found.isErr()) return err(found.error);
    const present = found.value.filter((item) => item !== undefined);
    const aliases = decodeAll(database, parseAliasItem, present);
    if (aliases.isErr()) return err(aliases.error);
    items.push(...aliases.value.filter(matches));
    compared += some.length;
  }
  if (items.length > limit) {
    const shown = items.slice(0, limit);
    return ok({ items: shown, next: shown.at(-1)?.id ?? null });
  }
  return ok({ items, next: compared < left.length ? (left[compared - 1] ?? null) : null });
};

/** The aliases with their tallies, all of which are in `tallyItems`. An alias that has been erased in the meantime is omitted. */
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

/** Joins tallies to aliases that are in descending order and mostly close together: reads everything between them. */
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

/** Lists the matching aliases among those that an index proposes. */
type Index = (request: PageRequest<AliasId>) => Promise<AliasPage>;

/**
 * A page of aliases takes the queries of `pageOf`, plus one for the tallies of the aliases in it. With a search text or a
 * recipient, at first only the newest aliases are read, as many as the page can have, and more if so many match that this is
 * cheaper. If the page is not full by then, search items or attachment items find the rest.
 */
export const listAliases = (database: Database): Aliases["list"] => {
  const isSearchable = searchReadiness(database);

  const indexFor = async (
    account: AccountId,
    { q, recipient }: AliasFilter,
    selected: Selection<StoredAlias>,
    signal: AbortSignal,
  ): Promise<Result<Index | null, Unavailable>> => {
    if (q !== undefined) {
      const searchable = await isSearchable(signal);
      if (searchable.isErr()) return err(searchable.error);
      const sought = searchable.value ? await soughtAliases(database, account, q, signal) : ok(null);
      if (sought.isErr()) return err(sought.error);
      const ids = sought.value;
      if (ids !== null) return ok((request) => soughtPage(database, account, ids, request, selected, signal));
    }
    if (recipient === undefined) return ok(null);
    const attachments = await attachmentsOf(database, account, recipient, signal);
    return attachments.map(
      (range) => range && ((request) => attachedPage(database, account, range, request, selected, signal)),
    );
  };

  return async (account, request, filter, timeLeft) => {
    // A deleted alias has no recipients.
    if (filter.deleted && filter.recipient !== undefined) return ok({ items: [], next: null });
    const signal = deadline(database.timeoutMs, timeLeft);
    const selected = selection(filter);
    const listed = (each: PageRequest<AliasId>, maxQueries?: number): Promise<AliasPage> =>
      pageOf(database, parseAliasItem, KeyRange.aliases(account), each, selected, signal, maxQueries);
    const joined = async ({ items, next }: Page<StoredAlias, AliasId>) =>
      (await joinTallies(database, items, signal)).map((all) => ({ items: all, next }));

    const hasIndex = filter.q !== undefined || filter.recipient !== undefined;
    const newest = await listed(request, hasIndex ? 1 : undefined);
    if (newest.isErr()) return err(newest.error);
    let near = newest.value;
    let rest = hasIndex ? restOf(request, near) : null;
    const readOn = async (after: PageRequest<AliasId>): Promise<Result<void, Unavailable>> => {
      const more = await listed(after);
      if (more.isErr()) return err(more.error);
      near = { items: [...near.items, ...more.value.items], next: more.value.next };
      rest = restOf(request, near);
      return ok();
    };
    const isDense = near.items.length >= request.limit * MIN_SHARE;
    if (rest !== null && isDense) {
      const read = await readOn(rest);
      if (read.isErr()) return err(read.error);
    }
    if (rest === null) return joined(near);
    const index = await indexFor(account, filter, selected, signal);
    if (index.isErr()) return err(index.error);
    if (index.value === null) {
      const read = isDense ? ok() : await readOn(rest);
      return read.isErr() ? err(read.error) : joined(near);
    }
    const far = await index.value(rest);
    if (far.isErr()) return err(far.error);
    const first = await joinTallies(database, near.items, signal);
    if (first.isErr()) return err(first.error);
    const others = await joinTalliesByKey(database, far.value.items, signal);
    return others.map((all) => ({ items: [...first.value, ...all], next: far.value.next }));
  };
};
