import type { SQLInputValue } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import {
  type AccountId,
  type Alias,
  AliasFilter,
  type AliasId,
  type Page,
  type PageRequest,
  type Unavailable,
} from "@postern/core";
import { err, ok, type Result } from "neverthrow";
import type { Database } from "./database.ts";
import { pageOf } from "./page.ts";
import { ALIAS, aliasOf } from "./rows.ts";

/** How many aliases are looked through for a word before other calls get their turn: some milliseconds' worth. */
const BATCH = 250;

/** A page of the aliases that match. Each is full but the last one. */
export const listAliases = async (
  database: Database,
  account: AccountId,
  { limit, after }: PageRequest<AliasId>,
  filter: AliasFilter,
): Promise<Result<Page<Alias, AliasId>, Unavailable>> => {
  const size = filter.q === undefined ? limit + 1 : BATCH;
  const matching: Alias[] = [];
  for (let from = after; ; ) {
    const batch = database.attempt(() => ok(select(database, account, { limit: size, after: from }, filter)));
    if (batch.isErr()) return err(batch.error);
    // SQL has not looked for the word; the domain alone says what a match is.
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
 * The aliases that match but for the word, newest first. Each form of the question has a text of its own, so that
 * an index answers it. Left to itself SQLite walks through all of the account's aliases.
 */
const select = (
  { sql }: Database,
  account: AccountId,
  { limit, after }: PageRequest<AliasId>,
  { deleted, active, recipient }: AliasFilter,
): readonly Alias[] => {
  const holding = recipient !== undefined;
  const id = holding ? "d.alias_id" : "a.id";
  const index = active === undefined ? "aliases_by_deleted" : "aliases_by_active";
  const tables = holding
    ? "destinations AS d CROSS JOIN aliases AS a ON a.account = d.account AND a.id = d.alias_id"
    : `aliases AS a INDEXED BY ${index}`;
  const conditions: readonly (readonly [condition: string, value: SQLInputValue | undefined])[] = [
    [holding ? "d.account = ?" : "a.account = ?", account],
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
