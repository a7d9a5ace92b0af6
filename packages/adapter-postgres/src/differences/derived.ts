import { EmailAddress } from "@postern/core";
import { Difference, type Place, searchedWords } from "@postern/core/store";
import { ALIAS, aliasOf } from "../alias-row.ts";
import { type Row, readable } from "../row.ts";
import type { Comparison } from "./rows.ts";

/* What follows from aliases and recipients, and how it is written anew. */

const OF_ALIASES = { table: "aliases", key: { id: "" } };

const LISTED = "postern_attached_recipients(a.destinations, a.deleted_at)";

/** The texts of an array column. */
export const textsOf = (column: unknown): readonly string[] =>
  Array.isArray(column) ? column.map(String) : [];

/** Rows of an alias that does not exist, which a foreign key forbids: a restore may have left out that key. */
const leftovers = ["tallies", "contacts", "logged_messages", "resends"].map(
  (table): Comparison => ({
    table,
    columns: "DISTINCT account, alias_id",
    key: { alias_id: "" },
    select: (rows) => `
      SELECT t.alias_id, CASE WHEN EXISTS (SELECT FROM aliases AS a WHERE a.account = t.account AND a.id = t.alias_id) THEN 0
        ELSE (SELECT count(*) FROM ${table} AS o WHERE o.account = t.account AND o.alias_id = t.alias_id) END AS surplus
      FROM ${rows} AS t`,
    differencesOf: ({ surplus }, at, correct) =>
      Number(surplus) === 0 ? [] : [Difference.leftover(at, Number(surplus), table, correct)],
    correct: (sql, row, account) =>
      sql(`DELETE FROM ${table} WHERE account = $1 AND alias_id = $2`, account, row["alias_id"]),
  }),
);

/** Rows of an index that do not follow from an alias. They may never have been counted. */
const surplus = (
  table: "attachments" | "alias_words",
  kind: "attachment" | "search",
  key: string,
  wanted: string,
): Comparison => ({
  table,
  key: { [key]: "", alias_id: "" },
  select: (rows) => `
    SELECT t.${key}, t.alias_id, a.id IS NULL AS orphan, t.${key} = ANY (${wanted}) AS wanted
    FROM ${rows} AS t LEFT JOIN aliases AS a ON a.account = t.account AND a.id = t.alias_id`,
  differencesOf: ({ orphan, wanted: isWanted }, at, correct) => {
    if (orphan === true) return [Difference.leftover(at, 1, table, correct)];
    return isWanted === true ? [] : [Difference.derived(kind, at, { surplus: 1 }, correct)];
  },
  correct: (sql, row, account) =>
    sql(
      `DELETE FROM ${table} WHERE account = $1 AND ${key} = $2 AND alias_id = $3`,
      account,
      row[key],
      row["alias_id"],
    ),
});

/** Verified and active recipients that the alias `a` lists, but that are not attached to it. They are counted afterwards. */
const MISSING = `
  SELECT r.account, r.id, a.id FROM unnest(${LISTED}) AS listed (id)
  JOIN recipients AS r ON r.account = a.account AND r.id = listed.id
  WHERE r.verified_at IS NOT NULL AND r.active AND NOT EXISTS (
    SELECT FROM attachments AS t WHERE t.account = a.account AND t.recipient_id = r.id AND t.alias_id = a.id
  )`;

const attachment: Comparison = {
  ...OF_ALIASES,
  select: (rows) => `
    SELECT a.id, a.id AS alias_id, (SELECT count(*) FROM (${MISSING}) AS m) AS missing FROM ${rows} AS a`,
  differencesOf: ({ missing }, at, correct) =>
    Number(missing) === 0
      ? []
      : [Difference.derived("attachment", at, { missing: Number(missing) }, correct)],
  correct: (sql, { id }, account) =>
    sql(
      `INSERT INTO attachments SELECT m.* FROM aliases AS a CROSS JOIN LATERAL (${MISSING}) AS m WHERE a.account = $1 AND a.id = $2
      ON CONFLICT DO NOTHING`,
      account,
      id,
    ),
};

/** How many live aliases list each recipient. A constraint allows nothing but 0 for one that is not verified and active. */
const attached: Comparison = {
  table: "recipients",
  key: { id: "" },
  select: (rows) => `
    SELECT r.id, r.id AS recipient_id, r.attached,
      CASE WHEN r.verified_at IS NOT NULL AND r.active THEN coalesce(held.aliases, 0) ELSE 0 END AS counted
    FROM ${rows} AS r LEFT JOIN (
      SELECT listed.id, count(DISTINCT a.id) AS aliases FROM aliases AS a CROSS JOIN LATERAL unnest(${LISTED}) AS listed (id)
      WHERE a.account = $1 AND a.deleted_at IS NULL GROUP BY listed.id
    ) AS held ON held.id = r.id`,
  differencesOf: ({ attached: stored, counted }, at, correct) =>
    stored === counted
      ? []
      : [Difference.count("attached", at, { stored: String(stored), right: String(counted) }, correct)],
  correct: (sql, { id, counted }, account) =>
    sql("UPDATE recipients SET attached = $3 WHERE account = $1 AND id = $2", account, id, counted),
};

/** Whether the alias that the address `d` leads to has that address. */
const OWNED =
  "EXISTS (SELECT FROM aliases AS o WHERE o.account = d.account AND o.id = d.alias_id AND lower(o.email) = d.key)";

/** What is wrong with the address of an alias. One that does not parse may have a different address. */
const stateOfAddress = (row: Row, { account, alias }: Place) => {
  if (readable(aliasOf, row["alias"]) === null) return null;
  if (row["other_account"] === account && row["other_alias"] === alias) return null;
  if (row["taken"] !== true) return "missing";
  if (row["other_account"] === null) return "retired";
  return row["owned"] === true ? "taken" : "wrong";
};

const addressesOfAliases = {
  ...OF_ALIASES,
  select: (rows: string) => `
    SELECT a.id, a.id AS alias_id, ${ALIAS} AS alias, d.key IS NOT NULL AS taken, d.account AS other_account,
      d.alias_id AS other_alias, ${OWNED} AS owned
    FROM ${rows} AS a LEFT JOIN addresses AS d ON d.key = lower(a.email)`,
};

const address: Comparison = {
  ...addressesOfAliases,
  differencesOf: (row, at, correct) => {
    const state = stateOfAddress(row, at);
    if (state === null || state === "retired") return [];
    if (state !== "taken") return [Difference.derived("address", at, { [state]: 1 }, correct)];
    const other = {
      account: String(row["other_account"]),
      alias: String(row["other_alias"]),
      recipient: null,
    };
    return [Difference.taken("address", at, other)];
  },
  correct: (sql, { id }, account) =>
    sql(
      `INSERT INTO addresses AS d SELECT lower(email), account, id FROM aliases WHERE account = $1 AND id = $2
      ON CONFLICT (key) DO UPDATE SET account = excluded.account, alias_id = excluded.alias_id
      WHERE d.account IS NOT NULL AND NOT ${OWNED}`,
      account,
      id,
    ),
};

/** The addresses of aliases that are retired all the same. */
const retired: Comparison = {
  ...addressesOfAliases,
  differencesOf: (row, at, correct) =>
    stateOfAddress(row, at) === "retired" ? [Difference.derived("address", at, { wrong: 1 }, correct)] : [],
  without: { table: "addresses", trigger: "address_stays" },
  correct: (sql, { id }, account) =>
    sql(
      `UPDATE addresses AS d SET account = a.account, alias_id = a.id FROM aliases AS a
      WHERE a.account = $1 AND a.id = $2 AND d.key = lower(a.email) AND d.account IS NULL`,
      account,
      id,
    ),
};

/** Addresses that lead to an alias without them: nobody else may get what may be the address of an erased alias. */
const addressLeftovers: Comparison = {
  table: "addresses",
  key: { key: "" },
  select: (rows) => `
    SELECT d.key, d.alias_id,
      (SELECT ${ALIAS} FROM aliases AS a WHERE a.account = d.account AND a.id = d.alias_id) AS alias
    FROM ${rows} AS d`,
  differencesOf: ({ key, alias }, at, correct) => {
    const owner = alias === null ? null : readable(aliasOf, alias);
    const isRight = alias !== null && (owner === null || EmailAddress.key(owner.email) === key);
    return isRight ? [] : [Difference.derived("address", at, { surplus: 1 }, correct)];
  },
  correct: (sql, { key }, account) =>
    sql(
      `UPDATE addresses AS d SET account = NULL, alias_id = NULL WHERE key = $1 AND account = $2 AND NOT ${OWNED}`,
      key,
      account,
    ),
};

const wordsOf = (row: Row) => {
  const alias = readable(aliasOf, row["alias"]);
  if (alias === null) return null;
  const [right, stored, indexed] = [searchedWords(alias), textsOf(row["words"]), textsOf(row["indexed"])];
  return {
    right,
    isWrong: stored.length !== right.length || !right.every((word) => stored.includes(word)),
    missing: right.filter((word) => !indexed.includes(word)).length,
  };
};

/** The words by which searches find an alias. They also change with the version of Unicode, which defines what a letter is. */
const search: Comparison = {
  ...OF_ALIASES,
  select: (rows) => `
    SELECT a.id, a.id AS alias_id, ${ALIAS} AS alias, a.words, ARRAY(
      SELECT listed.word FROM unnest(a.words) AS listed (word)
      JOIN alias_words AS w ON w.account = a.account AND w.word = listed.word AND w.alias_id = a.id
    ) AS indexed
    FROM ${rows} AS a`,
  differencesOf: (row, at, correct) => {
    const words = wordsOf(row);
    if (words === null || (!words.isWrong && words.missing === 0)) return [];
    const wrong = { wrong: Number(words.isWrong), missing: words.missing };
    return [Difference.derived("search", at, wrong, correct)];
  },
  // The trigger adds words to the index that are new to the alias, and would fail if they were there already.
  correct: async (sql, row, account) => {
    const right = wordsOf(row)?.right ?? [];
    await sql(
      `DELETE FROM alias_words WHERE account = $1 AND alias_id = $2 AND word IN (
        SELECT unnest($3::text[]) EXCEPT SELECT unnest(words) FROM aliases WHERE account = $1 AND id = $2
      )`,
      account,
      row["id"],
      right,
    );
    await sql("UPDATE aliases SET words = $3 WHERE account = $1 AND id = $2", account, row["id"], right);
    await sql(
      "INSERT INTO alias_words SELECT $1, unnest($3::text[]), $2 ON CONFLICT DO NOTHING",
      account,
      row["id"],
      right,
    );
  },
};

/** Aliases with more events than they have counted. */
const tallies: Comparison = {
  ...OF_ALIASES,
  select: (rows) => `
    SELECT a.id, a.id AS alias_id,
      (SELECT count(*) FROM events AS e WHERE e.account = a.account AND e.alias_id = a.id) AS events,
      (SELECT coalesce(sum(count), 0) FROM tallies AS t WHERE t.account = a.account AND t.alias_id = a.id) AS counted
    FROM ${rows} AS a`,
  differencesOf: ({ events, counted }, at) =>
    Number(events) > Number(counted) ? [Difference.tallies(at, Number(counted), Number(events))] : [],
};

/** Removals and additions come first: the counts follow from the rest. */
export const derived: readonly Comparison[] = [
  ...leftovers,
  surplus("attachments", "attachment", "recipient_id", LISTED),
  surplus("alias_words", "search", "word", "a.words"),
  attachment,
  attached,
  address,
  retired,
  addressLeftovers,
  search,
  tallies,
];
