import { eachRow, PAGE, repairing } from "./check.ts";
import { lockRecipient } from "./locks.ts";

/** How many live aliases list each recipient. A constraint allows nothing but 0 for one that is not verified and active. */
const COUNTED = `
  SELECT r.id, r.attached, CASE WHEN r.verified_at IS NOT NULL AND r.active THEN coalesce(held.aliases, 0) ELSE 0 END AS counted
  FROM recipients AS r LEFT JOIN (
    SELECT listed.id, count(DISTINCT a.id) AS aliases
    FROM aliases AS a CROSS JOIN LATERAL unnest(postern_attached_recipients(a.destinations, a.deleted_at)) AS listed (id)
    WHERE a.account = $1 AND a.deleted_at IS NULL GROUP BY listed.id
  ) AS held ON held.id = r.id
  WHERE r.account = $1`;

export const attached = eachRow(
  `${COUNTED} AND r.id > $2 ORDER BY r.id LIMIT ${PAGE}`,
  ["id"],
  (row, { database }, account) => {
    if (row["attached"] === row["counted"]) return [];
    const recipient = String(row["id"]);
    const repair = repairing(database, async (sql) => {
      await lockRecipient(sql, account, recipient);
      const counted = await sql(
        `UPDATE recipients AS u SET attached = c.counted FROM (${COUNTED} AND r.id = $2) AS c
        WHERE u.account = $1 AND u.id = c.id AND u.attached <> c.counted RETURNING 1`,
        account,
        recipient,
      );
      return counted.length > 0;
    });
    return [
      {
        kind: "attached",
        account,
        alias: null,
        recipient,
        stored: String(row["attached"]),
        right: String(row["counted"]),
        remedy: { by: "repair", repair },
      },
    ];
  },
);
