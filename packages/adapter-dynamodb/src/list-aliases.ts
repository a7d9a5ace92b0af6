import { type Alias, type Aliases, AliasFilter, err, ok, type Result, type Unavailable } from "@postern/core";
import { parseAliasItem, type StoredAlias } from "./alias-item.ts";
import { type Database, queryAll } from "./database.ts";
import { findAlias, withTallies } from "./find-alias.ts";
import { pageOf, type Selection } from "./pages.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key, KeyRange } from "./table.ts";

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

/** The aliases, in descending order of their ids, with their tallies. One that has been erased meanwhile is omitted. */
const joinTallies = async (
  database: Database,
  aliases: readonly StoredAlias[],
  signal: AbortSignal,
): Promise<Result<readonly Alias[], Unavailable>> => {
  const [newest, oldest] = [aliases[0], aliases.at(-1)];
  if (newest === undefined || oldest === undefined) return ok([]);
  const span = KeyRange.tallies(newest.alias.account, { lowest: oldest.id, highest: newest.id });
  const items = await queryAll(database, span, signal);
  if (items.isErr()) return err(items.error);
  const bySortKey = new Map(items.value.map((item) => [item.sk, item]));
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

/** A page of aliases takes the queries of `pageOf`, and one more for the tallies of those that it contains. */
export const listAliases =
  (database: Database): Aliases["list"] =>
  async (account, request, filter, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const range = KeyRange.aliases(account);
    const page = await pageOf(database, parseAliasItem, range, request, selection(filter), signal);
    if (page.isErr()) return err(page.error);
    const { items, next } = page.value;
    return (await joinTallies(database, items, signal)).map((joined) => ({ items: joined, next }));
  };
