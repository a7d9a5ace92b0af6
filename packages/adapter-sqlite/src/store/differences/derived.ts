import { Difference } from "@postern/core/store";
import type { Row } from "../../file/row.ts";
import type { Comparison } from "./rows.ts";
import { withoutTriggers } from "./without-triggers.ts";

/*
 * What follows from aliases and recipients, and how it is written anew. In this store, the rows of `destinations` are what a live alias
 * lists, and no address needs a row to lead to its alias.
 */

const OF_ALIASES = { table: "aliases", key: { id: "" } };

const TABLES = ["destinations", "tallies", "events", "contacts", "logged_messages", "resends"] as const;

/** Rows of an alias that does not exist, and recipients that are attached to a deleted one. */
const leftovers = TABLES.map((table): Comparison => {
  const ofAlias = `FROM ${table} WHERE account = t.account AND alias_id = t.alias_id`;
  const live = table === "destinations" ? "AND deleted = 0" : "";
  return {
    table,
    columns: "DISTINCT account, alias_id",
    key: { alias_id: "" },
    select: (rows) => `
      SELECT t.alias_id, (
        SELECT count(*) ${ofAlias} AND NOT EXISTS (SELECT 1 FROM aliases WHERE account = t.account AND id = t.alias_id ${live})
      ) AS surplus
      FROM ${rows} AS t`,
    differencesOf: ({ surplus }, at, correct) =>
      surplus === 0 ? null : Difference.leftover(at, Number(surplus), table, correct),
    // They may never have been counted in `attached`, so it is not decremented here but compared afterwards.
    correct: ({ alias_id: alias }, account, { database }) =>
      withoutTriggers(database, table === "destinations" ? ["destination_detaches"] : [], () => {
        database.sql(`DELETE FROM ${table} WHERE account = ? AND alias_id = ?`).run(account, alias ?? null);
      }),
  };
});

/** How many live aliases list each recipient. The schema allows nothing but 0 for one that is not verified and active. */
const attached: Comparison = {
  table: "recipients",
  key: { id: "" },
  select: (rows) => `
    SELECT t.id, t.id AS recipient_id, t.attached, iif(t.verified_at IS NULL OR t.active <> 1, 0, (
      SELECT count(*) FROM destinations AS d CROSS JOIN aliases AS a ON a.account = d.account AND a.id = d.alias_id
      WHERE d.account = t.account AND d.recipient_id = t.id AND a.deleted = 0
    )) AS counted
    FROM ${rows} AS t`,
  differencesOf: ({ attached: stored, counted }, at, correct) =>
    stored === counted
      ? null
      : Difference.count("attached", at, { stored: String(stored), right: String(counted) }, correct),
  correct: ({ id, counted }, account, { database }) => {
    database
      .sql("UPDATE recipients SET attached = ? WHERE account = ? AND id = ?")
      .run(counted ?? null, account, id ?? null);
  },
};

const positionsOf = ({ positions }: Row): readonly number[] =>
  String(positions ?? "")
    .split(" ")
    .flatMap((position) => (position === "" ? [] : [Number(position)]));

/** The recipients of each alias are numbered from 0 without a gap. */
const positions: Comparison = {
  ...OF_ALIASES,
  select: (rows) => `
    SELECT t.id, t.id AS alias_id, (
      SELECT group_concat(position, ' ' ORDER BY position) FROM destinations AS d
      WHERE d.account = t.account AND d.alias_id = t.id AND t.deleted = 0
    ) AS positions
    FROM ${rows} AS t`,
  differencesOf: (row, at, correct) => {
    const [stored, right] = [positionsOf(row), [...positionsOf(row).keys()]].map((each) => each.join(" "));
    return stored === right
      ? null
      : Difference.count("positions", at, { stored: `${stored}`, right: `${right}` }, correct);
  },
  correct: (row, account, { database }) => renumber(database, account, String(row["id"])),
};

/** Numbers the recipients that the alias lists, in the open transaction. */
export const renumber = (database: Parameters<typeof withoutTriggers>[0], account: string, alias: string) =>
  withoutTriggers(database, ["destination_stays"], () => {
    const { sql } = database;
    const rows = sql(
      "SELECT position FROM destinations WHERE account = ? AND alias_id = ? ORDER BY position",
    ).all(account, alias);
    const move = sql(
      "UPDATE destinations SET position = ? WHERE account = ? AND alias_id = ? AND position = ?",
    );
    for (const [right, { position }] of rows.entries()) move.run(right, account, alias, position ?? null);
  });

/** An alias has its address until it is erased; then the address is retired. */
const address: Comparison = {
  ...OF_ALIASES,
  select: (rows) => `
    SELECT t.id, t.id AS alias_id,
      EXISTS (SELECT 1 FROM retired_addresses AS r WHERE r.address = lower(t.email)) AS retired
    FROM ${rows} AS t`,
  differencesOf: ({ retired }, at, correct) =>
    retired === 0 ? null : Difference.derived("address", at, { wrong: 1 }, correct),
  correct: ({ id }, account, { database }) =>
    withoutTriggers(database, ["retired_address_stays_retired"], () => {
      database
        .sql(
          "DELETE FROM retired_addresses WHERE address = (SELECT lower(email) FROM aliases WHERE account = ? AND id = ?)",
        )
        .run(account, id ?? null);
    }),
};

/** The words by which searches find an alias. An alias whose words are null is not in the index, and searches compare it. */
const search: Comparison = {
  ...OF_ALIASES,
  select: (rows) => `
    SELECT t.id, t.id AS alias_id, t.words <> search_words(t.description, t.website) AS wrong, (
      SELECT count(*) FROM json_each(t.words) AS j WHERE NOT EXISTS (
        SELECT 1 FROM alias_words AS w WHERE w.account = t.account AND w.word = j.value AND w.alias_id = t.id
      )
    ) AS missing
    FROM ${rows} AS t`,
  differencesOf: ({ wrong, missing }, at, correct) =>
    wrong === 1 || missing !== 0
      ? Difference.derived("search", at, { wrong: Number(wrong), missing: Number(missing) }, correct)
      : null,
  // Triggers write the index, and fail if a row exists already.
  correct: ({ id }, account, { database: { sql } }) => {
    sql("DELETE FROM alias_words WHERE account = ? AND alias_id = ?").run(account, id ?? null);
    for (const words of ["NULL", "search_words(description, website)"])
      sql(`UPDATE aliases SET words = ${words} WHERE account = ? AND id = ?`).run(account, id ?? null);
  },
};

/** Words of aliases that do not have them, or do not exist. */
const searchLeftovers: Comparison = {
  table: "alias_words",
  key: { word: "", alias_id: "" },
  select: (rows) => `
    SELECT t.word, t.alias_id, a.id IS NULL AS orphan,
      a.id IS NOT NULL AND t.word NOT IN (SELECT value FROM json_each(coalesce(a.words, '[]'))) AS surplus
    FROM ${rows} AS t LEFT JOIN aliases AS a ON a.account = t.account AND a.id = t.alias_id`,
  differencesOf: ({ orphan, surplus }, at, correct) => {
    if (orphan === 1) return Difference.leftover(at, 1, "alias_words", correct);
    return surplus === 1 ? Difference.derived("search", at, { surplus: 1 }, correct) : null;
  },
  correct: ({ word, alias_id: alias }, account, { database }) => {
    database
      .sql("DELETE FROM alias_words WHERE account = ? AND word = ? AND alias_id = ?")
      .run(account, word ?? null, alias ?? null);
  },
};

/** Aliases with more events than they have counted. */
const tallies: Comparison = {
  table: "events",
  columns: "DISTINCT account, alias_id",
  key: { alias_id: "" },
  select: (rows) => `
    SELECT t.alias_id, EXISTS (SELECT 1 FROM aliases AS a WHERE a.account = t.account AND a.id = t.alias_id) AS known,
      (SELECT count(*) FROM events AS e WHERE e.account = t.account AND e.alias_id = t.alias_id) AS events,
      (SELECT coalesce(sum(count), 0) FROM tallies AS c WHERE c.account = t.account AND c.alias_id = t.alias_id) AS counted
    FROM ${rows} AS t`,
  differencesOf: ({ known, events, counted }, at) =>
    known === 1 && Number(events) > Number(counted)
      ? Difference.tallies(at, Number(counted), Number(events))
      : null,
};

/** Removals come first: counts follow from what remains. */
export const derived: readonly Comparison[] = [
  ...leftovers,
  searchLeftovers,
  search,
  attached,
  positions,
  address,
  tallies,
];
