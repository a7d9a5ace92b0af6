import type { Difference } from "@postern/core/store";
import type { Row } from "../row.ts";
import { type Check, type Checked, eachRow, PAGE, repairing } from "./check.ts";
import { lockAlias, lockRecipient } from "./locks.ts";

const LISTED = `
  EXISTS (
    SELECT FROM aliases AS a WHERE a.account = t.account AND a.id = t.alias_id
      AND t.recipient_id = ANY (postern_attached_recipients(a.destinations, a.deleted_at))
  )`;

const attachment = (row: Row, { database }: Checked, account: string): readonly Difference[] => {
  if (row["belongs"] === true) return [];
  const [alias, recipient] = [String(row["alias_id"]), String(row["recipient_id"])];
  const repair = repairing(database, async (sql) => {
    await lockAlias(sql, account, alias);
    await lockRecipient(sql, account, recipient);
    // It may never have been counted, so the count is checked afterwards.
    const removed = await sql(
      `DELETE FROM attachments AS t
      WHERE account = $1 AND recipient_id = $2 AND alias_id = $3 AND NOT ${LISTED} RETURNING 1`,
      account,
      recipient,
      alias,
    );
    return removed.length > 0;
  });
  return [
    {
      kind: "leftover",
      account,
      alias,
      recipient,
      stored: "attached",
      right: "not attached: no alias with this id lists it, or it is deleted",
      remedy: { by: "repair", repair },
    },
  ];
};

const INDEXED = `
  EXISTS (
    SELECT FROM aliases AS a WHERE a.account = w.account AND a.id = w.alias_id AND w.word = ANY (a.words)
  )`;

const word = (row: Row, { database }: Checked, account: string): readonly Difference[] => {
  if (row["belongs"] === true) return [];
  const alias = String(row["alias_id"]);
  const repair = repairing(database, async (sql) => {
    await lockAlias(sql, account, alias);
    const removed = await sql(
      `DELETE FROM alias_words AS w
      WHERE account = $1 AND word = $2 AND alias_id = $3 AND NOT ${INDEXED} RETURNING 1`,
      account,
      row["word"],
      alias,
    );
    return removed.length > 0;
  });
  return [
    {
      kind: "leftover",
      account,
      alias,
      recipient: null,
      stored: "found by a word",
      right: "not found by it: the description does not contain it, or there is no such alias",
      remedy: { by: "repair", repair },
    },
  ];
};

/** Rows of an alias that does not exist, which a foreign key forbids: a restore may have left out that key. */
const rowsWithoutAlias = (table: "contacts" | "logged_messages" | "resends", noun: string): Check =>
  eachRow(
    `SELECT o.alias_id, count(*) FILTER (WHERE a.id IS NULL) AS orphans
    FROM (SELECT DISTINCT alias_id FROM ${table} WHERE account = $1 AND alias_id > $2 ORDER BY alias_id LIMIT ${PAGE}) AS o
    JOIN ${table} AS t ON t.account = $1 AND t.alias_id = o.alias_id
    LEFT JOIN aliases AS a ON a.account = $1 AND a.id = o.alias_id
    GROUP BY o.alias_id ORDER BY o.alias_id`,
    ["alias_id"],
    (row, { database }, account) => {
      const [alias, orphans] = [String(row["alias_id"]), Number(row["orphans"])];
      if (orphans === 0) return [];
      const repair = repairing(database, async (sql) => {
        const removed = await sql(
          `DELETE FROM ${table} AS t WHERE account = $1 AND alias_id = $2
            AND NOT EXISTS (SELECT FROM aliases AS a WHERE a.account = t.account AND a.id = t.alias_id) RETURNING 1`,
          account,
          alias,
        );
        return removed.length > 0;
      });
      return [
        {
          kind: "leftover",
          account,
          alias,
          recipient: null,
          stored: `${orphans} ${noun}`,
          right: "none without an alias",
          remedy: { by: "repair", repair },
        },
      ];
    },
  );

/** Attachments, indexed words and other rows of aliases that should not be there. */
export const leftovers: readonly Check[] = [
  eachRow(
    `SELECT recipient_id, alias_id, ${LISTED} AS belongs FROM attachments AS t
    WHERE account = $1 AND (recipient_id, alias_id) > ($2, $3) ORDER BY recipient_id, alias_id LIMIT ${PAGE}`,
    ["recipient_id", "alias_id"],
    attachment,
  ),
  eachRow(
    `SELECT word, alias_id, ${INDEXED} AS belongs FROM alias_words AS w
    WHERE account = $1 AND (word, alias_id) > ($2, $3) ORDER BY word, alias_id LIMIT ${PAGE}`,
    ["word", "alias_id"],
    word,
  ),
  rowsWithoutAlias("contacts", "contacts"),
  rowsWithoutAlias("logged_messages", "logged messages"),
  rowsWithoutAlias("resends", "messages to be sent again"),
];
