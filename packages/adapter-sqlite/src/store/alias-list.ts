import { type AccountId, type Alias, type AliasId, ok, type PortResult, parseAliasId } from "@postern/core";
import { AliasFilter, type Page, type PageRequest, searchTerms } from "@postern/core/store";
import { stored } from "../file/row.ts";
import { aliasReader } from "./alias-reader.ts";
import { compareAliases } from "./compare-aliases.ts";
import type { Database } from "./database.ts";
import { AFTER_ALL, type Ids, idsBy, take } from "./ids.ts";
import { soughtIds } from "./sought-ids.ts";
import { TURN_MS } from "./turns.ts";

/** The maximum work for one page of a search, as a number of aliases and in the units of `compareAliases`: about 10 ms. */
const MAX_COMPARED = 2_000;
const MAX_WORK = 100_000;

/** How many aliases are compared, and how many are read at once. */
const [COMPARED_AT_ONCE, READ_AT_ONCE] = [100, 25];

/** The share of that work that a search does before it consults the index: if many aliases match, this is enough to fill a page. */
const FIRST_PART = 1 / 5;

/**
 * A page of the matching aliases, read in several turns if necessary. A search first compares the newest aliases; if they do
 * not fill the page, it continues with those that the index finds. If using the index would take too long, because the
 * search text is a prefix of many different words, it keeps comparing the next aliases.
 */
export const listAliases = (
  database: Database,
  account: AccountId,
  { limit, after }: PageRequest<AliasId>,
  filter: AliasFilter,
  timeLeft: number | undefined,
): PortResult<Page<Alias, AliasId>> =>
  database.attemptInTurns(account, timeLeft, function* () {
    const matches = AliasFilter.matching(filter);
    const terms = filter.q === undefined ? null : searchTerms(filter.q);
    const readAliases = aliasReader(database, account);
    const isExact = matchesAllListed(filter);
    const atOnce = Math.min(READ_AT_ONCE, limit + 1);
    const items: Alias[] = [];
    const page = (next: string | null) =>
      ok({ items, next: next === null ? null : stored("aliases", () => parseAliasId(next)) });

    let turnEnds = performance.now() + TURN_MS;
    const nextTurnIfOver = function* () {
      if (performance.now() < turnEnds) return;
      yield;
      turnEnds = performance.now() + TURN_MS;
    };
    let last: string = after ?? AFTER_ALL;
    let ids = listedIds(database, account, filter, last);
    let [compared, work, asksIndex] = [0, 0, terms !== null];
    for (;;) {
      yield* nextTurnIfOver();
      if (compared >= MAX_COMPARED) return page(last);
      if (asksIndex && Math.max(compared / MAX_COMPARED, work / MAX_WORK) >= FIRST_PART) {
        asksIndex = false;
        ids = (terms && soughtIds(database, account, terms, last)) ?? ids;
      }
      const some = take(ids, isExact ? limit + 1 : COMPARED_AT_ONCE);
      if (some.length === 0) return page(null);
      const all = isExact
        ? some.map((id) => ({ id, mayMatch: true, work: 0 }))
        : compareAliases(database, account, some, filter, terms);
      for (let first = 0; first < all.length; first += atOnce) {
        yield* nextTurnIfOver();
        const group = all.slice(first, first + atOnce);
        const wanted = group.filter(({ mayMatch }) => mayMatch).map(({ id }) => id);
        const found = wanted.length === 0 ? [] : readAliases(wanted).filter(matches);
        const byId = new Map<string, Alias>(found.map((alias) => [alias.id, alias]));
        for (const each of group) {
          const alias = byId.get(each.id);
          if (alias !== undefined) {
            if (items.length === limit) return page(last);
            items.push(alias);
          }
          last = each.id;
          work += each.work;
          if (terms !== null && work >= MAX_WORK) return page(last);
        }
      }
      compared += some.length;
    }
  });

/** Whether all aliases that `listedIds` lists match the filter. */
const matchesAllListed = ({ q, deleted, active, recipient }: AliasFilter): boolean =>
  // Recipients are attached to no deleted alias.
  q === undefined && (recipient === undefined || (!deleted && active === undefined));

/**
 * The ids before `before` of the aliases that satisfy the filter's conditions other than `q`; if there is one on recipients,
 * only that one. Each case has a query that names its index: otherwise SQLite reads all of the account's aliases.
 */
const listedIds = (
  database: Database,
  account: AccountId,
  { deleted, active, recipient }: AliasFilter,
  before: string,
): Ids => {
  const rest = "AND id < ? ORDER BY id DESC LIMIT ?";
  if (recipient !== undefined)
    return idsBy(
      database,
      before,
      `SELECT id FROM (SELECT account, recipient_id, alias_id AS id FROM destinations)
       WHERE account = ? AND recipient_id = ? ${rest}`,
      account,
      recipient,
    );
  if (active !== undefined)
    return idsBy(
      database,
      before,
      `SELECT id FROM aliases INDEXED BY aliases_by_active WHERE account = ? AND deleted = ? AND active = ? ${rest}`,
      account,
      Number(deleted),
      Number(active),
    );
  return idsBy(
    database,
    before,
    `SELECT id FROM aliases INDEXED BY aliases_by_deleted WHERE account = ? AND deleted = ? ${rest}`,
    account,
    Number(deleted),
  );
};
