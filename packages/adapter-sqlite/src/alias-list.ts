import type { SQLInputValue } from "node:sqlite";
import {
  type AccountId,
  type Alias,
  AliasFilter,
  type AliasId,
  err,
  ok,
  type Page,
  type PageRequest,
  type PortResult,
  parseAliasId,
  searchPage,
} from "@postern/core";
import { ALIAS, aliasOf } from "./alias-table.ts";
import type { Database } from "./database.ts";
import { stored } from "./row.ts";

/** How many aliases are read in one turn. Takes about 2 ms if each has 40 recipients with long addresses. */
const BATCH_SIZE = 10;

/** A page of the aliases that match. First finds their ids (`searchPage`), then reads them in several turns. */
export const listAliases = async (
  database: Database,
  account: AccountId,
  { limit, after }: PageRequest<AliasId>,
  filter: AliasFilter,
): PortResult<Page<Alias, AliasId>> => {
  const finds = AliasFilter.finder(filter);
  const { deleted, active } = filter;
  const found = await database.attempt(account, () => {
    const { items, next } = searchPage(
      candidates(database, account, after, filter),
      limit,
      filter,
      (each) => each.deleted === deleted && (active === undefined || each.active === active) && finds(each),
    );
    return ok({ ids: items.map(({ id }) => id), next: next === null ? null : stored(parseAliasId(next)) });
  });
  if (found.isErr()) return err(found.error);
  const { ids, next } = found.value;
  const items: Alias[] = [];
  for (let first = 0; first < ids.length; first += BATCH_SIZE) {
    const batch = ids.slice(first, first + BATCH_SIZE);
    const read = await database.attempt(account, () => ok(readAliases(database, account, batch)));
    if (read.isErr()) return err(read.error);
    // An alias may have changed since its id was found.
    items.push(...read.value.filter((alias) => AliasFilter.matches(alias, filter)));
  }
  return ok({ items, next });
};

/**
 * The columns that a search compares, newest first, of the aliases that an index can select. Each combination of
 * conditions gets its own query, which names the index to use: otherwise SQLite reads all of the account's aliases.
 */
const candidates = function* (
  { sql }: Database,
  account: AccountId,
  after: AliasId | null,
  { deleted, active, recipient }: AliasFilter,
) {
  const byRecipient = recipient !== undefined;
  const id = byRecipient ? "d.alias_id" : "a.id";
  const index = active === undefined ? "aliases_by_deleted" : "aliases_by_active";
  const tables = byRecipient
    ? "destinations AS d CROSS JOIN aliases AS a ON a.account = d.account AND a.id = d.alias_id"
    : `aliases AS a INDEXED BY ${index}`;
  const conditions: readonly (readonly [condition: string, value: SQLInputValue | undefined])[] = [
    [byRecipient ? "d.account = ?" : "a.account = ?", account],
    ["d.recipient_id = ?", recipient],
    ["a.deleted = ?", byRecipient ? undefined : Number(deleted)],
    ["a.active = ?", byRecipient || active === undefined ? undefined : Number(active)],
    [`${id} < ?`, after ?? undefined],
  ];
  const given = conditions.filter(([, value]) => value !== undefined);
  const where = given.map(([condition]) => condition).join(" AND ");
  const values = given.flatMap(([, value]) => (value === undefined ? [] : [value]));
  const rows = sql(`
    SELECT a.id, a.email, a.description, a.active, a.deleted
    FROM ${tables} WHERE ${where} ORDER BY ${id} DESC`).iterate(...values);
  for (const row of rows) {
    yield {
      id: String(row["id"]),
      email: String(row["email"]),
      description: String(row["description"]),
      active: row["active"] === 1,
      deleted: row["deleted"] === 1,
    };
  }
};

/** Those that exist, in that order. */
const readAliases = ({ sql }: Database, account: AccountId, ids: readonly string[]): readonly Alias[] => {
  const find = sql(`SELECT ${ALIAS} FROM aliases AS a WHERE account = ? AND id = ?`);
  return ids.flatMap((id) => find.all(account, id)).map(aliasOf);
};
