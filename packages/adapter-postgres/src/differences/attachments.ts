import { eachRow, PAGE, repairing, textsOf } from "./check.ts";
import { lockAlias, lockRecipient } from "./locks.ts";

/** Recipients `r` that the live alias `a` lists, and that are verified and active, but not attached to it. */
const MISSING = `
  SELECT r.id FROM unnest(postern_attached_recipients(a.destinations, a.deleted_at)) AS listed (id)
  JOIN recipients AS r ON r.account = a.account AND r.id = listed.id
  WHERE r.verified_at IS NOT NULL AND r.active AND NOT EXISTS (
    SELECT FROM attachments AS t WHERE t.account = a.account AND t.recipient_id = r.id AND t.alias_id = a.id
  )`;

/** Recipients that are not attached to an alias that lists them. They are counted afterwards. */
export const attachments = eachRow(
  `SELECT a.id, ARRAY(${MISSING}) AS missing FROM aliases AS a
  WHERE a.account = $1 AND a.id > $2 AND a.deleted_at IS NULL ORDER BY a.id LIMIT ${PAGE}`,
  ["id"],
  (row, { database }, account) =>
    textsOf(row["missing"]).map((recipient) => {
      const alias = String(row["id"]);
      const repair = repairing(database, async (sql) => {
        await lockAlias(sql, account, alias);
        await lockRecipient(sql, account, recipient);
        const attached = await sql(
          `INSERT INTO attachments
          SELECT a.account, m.id, a.id FROM aliases AS a CROSS JOIN LATERAL (${MISSING}) AS m
          WHERE a.account = $1 AND a.id = $2 AND m.id = $3 ON CONFLICT DO NOTHING RETURNING 1`,
          account,
          alias,
          recipient,
        );
        return attached.length > 0;
      });
      return {
        kind: "attachment",
        account,
        alias,
        recipient,
        stored: "not attached",
        right: "attached, because the alias lists it",
        remedy: { by: "repair", repair },
      };
    }),
);
