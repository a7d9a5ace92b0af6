import type { SQLInputValue } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import {
  type AccountId,
  type Alias,
  AliasFilter,
  type AliasId,
  err,
  ok,
  type Page,
  type PageRequest,
  type Result,
  type Unavailable,
} from "@postern/core";
import { ALIAS, aliasOf } from "./alias-table.ts";
import type { Database } from "./database.ts";
import { pageOf } from "./page.ts";

/** How many aliases a search reads before it yields to other work. Takes a few milliseconds. */
const BATCH_SIZE = 250;

/** A page of the aliases that match. Every page but the last is full. */
export const listAliases = async (
  database: Database,
  account: AccountId,
  { limit, after }: PageRequest<AliasId>,
  filter: AliasFilter,
): Promise<Result<Page<Alias, AliasId>, Unavailable>> => {
  const size = filter.q === undefined ? limit + 1 : BATCH_SIZE;
  const matching: Alias[] = [];
  for (let from = after; ; ) {
    const batch = database.attempt(() => ok(select(database, account, { limit: size, after: from }, filter)));
    if (batch.isErr()) return err(batch.error);
    // The query ignores the search text: only the domain decides what matches.
    matching.push(...batch.value.filter((alias) => AliasFilter.matches(alias, filter)));
    const last = batch.value.at(-1);
    if (matching.length > limit || last === undefined || batch.value.length < size) {
      return ok(pageOf(matching, limit));
    }
    from = last.id;
    await setImmediate();
  }
};

/**
 * The aliases that match the filter, except for its search text, newest first. Each combination of conditions
 * gets its own query, which names the index to use: otherwise SQLite reads all of the account's aliases.
 */
const select = (
  { sql }: Database,
  account: AccountId,
  { limit, after }: PageRequest<AliasId>,
  { deleted, active, recipient }: AliasFilter,
): readonly Alias[] => {
  const byRecipient = recipient !== undefined;
  const id = byRecipient ? "d.alias_id" : "a.id";
  const index = active === undefined ? "aliases_by_deleted" : "aliases_by_active";
  const tables = byRecipient
    ? "destinations AS d CROSS JOIN aliases AS a ON a.account = d.account AND a.id = d.alias_id"
    : `aliases AS a INDEXED BY ${index}`;
  const conditions: readonly (readonly [condition: string, value: SQLInputValue | undefined])[] = [
    [byRecipient ? "d.account = ?" : "a.account = ?", account],
    ["a.deleted = ?", Number(deleted)],
    ["a.active = ?", active === undefined ? undefined : Number(active)],
    ["d.recipient_id = ?", recipient],
    [`${id} < ?`, after ?? undefined],
  ];
  const given = conditions.filter(([, value]) => value !== undefined);
  const where = given.map(([condition]) => condition).join(" AND ");
  const values = given.flatMap(([, value]) => (value === undefined ? [] : [value]));
  return sql(`SELECT ${ALIAS} FROM ${tables} WHERE ${where} ORDER BY ${id} DESC LIMIT ?`)
    .all(...values, limit)
    .map(aliasOf);
};
