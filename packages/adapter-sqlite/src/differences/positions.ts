import { ok } from "@postern/core";
import { eachRow } from "./check.ts";
import { replaceRows } from "./replace-rows.ts";

/** The aliases whose recipients all exist, but are not numbered from 0 without a gap. */
const GAPS = `
  SELECT d.alias_id AS id, group_concat(d.position, ' ' ORDER BY d.position) AS positions, count(*) AS rows
  FROM destinations AS d CROSS JOIN aliases AS a ON a.account = d.account AND a.id = d.alias_id AND a.deleted = 0
  LEFT JOIN recipients AS r ON r.account = d.account AND r.id = d.recipient_id
  WHERE d.account = :account AND d.alias_id > :after
  GROUP BY d.alias_id
  HAVING count(r.id) = count(*) AND (min(d.position) <> 0 OR max(d.position) <> count(*) - 1)`;

export const positions = eachRow(GAPS, (row, { database }, account) => {
  const alias = String(row["id"]);
  const { sql } = database;
  const repair = () =>
    database.transact<"repaired" | "gone">(null, undefined, () => {
      const rows = sql(`
        SELECT position, recipient_id FROM destinations WHERE account = ? AND alias_id = ?
        ORDER BY position`).all(account, alias);
      if (rows.every(({ position }, i) => position === i)) return ok("gone");
      const recipients = rows.map(({ recipient_id }) => String(recipient_id));
      replaceRows(database, { account, alias }, recipients);
      return ok("repaired");
    });
  return {
    kind: "positions",
    account,
    alias,
    recipient: null,
    stored: String(row["positions"]),
    right: Array.from({ length: Number(row["rows"]) }, (_, i) => i).join(" "),
    remedy: { by: "repair", repair },
  };
});
