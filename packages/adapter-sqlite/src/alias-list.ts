import type { SQLInputValue } from "node:sqlite";
import {
  type AccountId,
  type Alias,
  AliasFilter,
  type AliasId,
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
import { TURN_MS } from "./turns.ts";

/** A page of the aliases that match. First finds them (`searchPage`), then reads them, in several turns if necessary. */
export const listAliases = (
  database: Database,
  account: AccountId,
  { limit, after }: PageRequest<AliasId>,
  filter: AliasFilter,
  timeLeft: number | undefined,
): PortResult<Page<Alias, AliasId>> =>
  database.attemptInTurns(account, timeLeft, function* () {
    let turnEnds = performance.now() + TURN_MS;
    const { deleted, active } = filter;
    const finds = AliasFilter.finder(filter);
    const found = searchPage(
      candidates(database, account, after, filter),
      limit,
      filter,
      (each) => each.deleted === deleted && (active === undefined || each.active === active) && finds(each),
    );
    const items: Alias[] = [];
    for (const { id } of found.items) {
      if (performance.now() >= turnEnds) {
        yield;
        turnEnds = performance.now() + TURN_MS;
      }
      items.push(...readAlias(database, account, id));
    }
    const { next } = found;
    return ok({ items, next: next === null ? null : stored("aliases", () => parseAliasId(next)) });
  });

/**
 * The columns that a search compares, of the aliases that match the filter's other conditions, newest first. Each
 * combination of conditions gets its own query, which names the index to use: otherwise SQLite reads all of the account's
 * aliases.
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

/** The alias, or nothing if another program has deleted it in the meantime. */
const readAlias = ({ sql }: Database, account: AccountId, id: string): readonly Alias[] =>
  sql(`SELECT ${ALIAS} FROM aliases AS a WHERE account = ? AND id = ?`).all(account, id).map(aliasOf);
