import { type AccountId, type Alias, type AliasId, ok, type PortResult } from "@postern/core";
import { type AliasFilter, type Page, type PageRequest, pageOf, searchTerms } from "@postern/core/store";
import { ALIAS, aliasOf } from "./alias-row.ts";
import type { Database } from "./database.ts";
import { parameters, type Query } from "./statement.ts";

/** Greater than any character that words and addresses contain. */
const LAST = "\u{10FFFF}";

/** The possible beginnings of an address. PostgreSQL refuses parameters that contain NUL. */
const ADDRESS_START = /^[!-~]*$/;

/**
 * Selects the ids of the account's aliases that the search text finds: one range of an index for each
 * word, and one for addresses.
 */
const found = (q: string, param: (value: unknown) => string): string => {
  const { address, words } = searchTerms(q);
  const within = (column: string, beginning: string) =>
    `account = $1 AND ${column} >= ${param(beginning)} AND ${column} < ${param(`${beginning}${LAST}`)}`;
  const withWord = words.map((word) => `SELECT alias_id FROM alias_words WHERE ${within("word", word)}`);
  const ways = [
    ...(withWord.length > 0 ? [`(${withWord.join(" INTERSECT ")})`] : []),
    ...(!ADDRESS_START.test(address)
      ? []
      : [`SELECT alias_id FROM addresses WHERE ${within("key", address)}`]),
  ];
  // A text without words, such as `é-`, may find nothing.
  return ways.length === 0 ? "SELECT NULL" : ways.join(" UNION ");
};

/** The first `limit` + 1 aliases that match. Each combination of conditions has its own text, and therefore its own plan. */
const listQuery = (
  account: AccountId,
  { limit, after }: PageRequest<AliasId>,
  { deleted, active, recipient, q }: AliasFilter,
): Query => {
  const { values, param } = parameters();
  param(account);
  const byRecipient = recipient !== undefined;
  const id = byRecipient ? "t.alias_id" : "a.id";
  const from = byRecipient
    ? `attachments AS t JOIN aliases AS a ON a.account = t.account AND a.id = t.alias_id
      WHERE t.account = $1 AND t.recipient_id = ${param(recipient)}`
    : "aliases AS a WHERE a.account = $1";
  const conditions = [
    `a.deleted_at IS ${deleted ? "NOT NULL" : "NULL"}`,
    ...(active === undefined ? [] : [`a.active = ${param(active)}`]),
    ...(after === null ? [] : [`${id} < ${param(after)}`]),
    ...(q === undefined ? [] : [`${id} IN (${found(q, param)})`]),
  ];
  const text = `SELECT ${ALIAS} AS alias FROM ${from} AND ${conditions.join(" AND ")}
    ORDER BY ${id} DESC LIMIT ${param(limit + 1)}`;
  // The plan of a search depends on how much each word finds, so a new one is made each time.
  if (q !== undefined) return { text, values };
  const given = [deleted, active !== undefined, byRecipient, after !== null].map(Number).join("");
  return { name: `postern_list_${given}`, text, values };
};

/** A page of the aliases that match. Every page but the last is full. */
export const listAliases = (
  { run }: Database,
  account: AccountId,
  page: PageRequest<AliasId>,
  filter: AliasFilter,
  timeLeft: number | undefined,
): PortResult<Page<Alias, AliasId>> =>
  run(timeLeft, listQuery(account, page, filter), (rows) =>
    ok(
      pageOf(
        rows.map(({ alias }) => aliasOf(alias)),
        page.limit,
        ({ id }) => id,
      ),
    ),
  );
