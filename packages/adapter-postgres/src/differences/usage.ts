import { eachRow, repairing } from "./check.ts";

/** The numbers of aliases and recipients that the account `$1` has. */
const HELD = `
  SELECT (SELECT count(*) FROM aliases WHERE account = $1) AS aliases, count(*) AS recipients,
    count(*) FILTER (WHERE verified_at IS NULL) AS unverified
  FROM recipients WHERE account = $1`;

const told = (aliases: string, recipients: string, unverified: string) =>
  `format('%s aliases, %s recipients, %s of them unverified', ${aliases}, ${recipients}, ${unverified})`;

/** How many aliases and recipients an account has. Its row is locked first, as in any write that adds or removes something. */
export const usage = eachRow(
  `SELECT ${told("coalesce(u.aliases, 0)", "coalesce(u.recipients, 0)", "coalesce(u.unverified_recipients, 0)")} AS stored,
    ${told("held.aliases", "held.recipients", "held.unverified")} AS held
  FROM (${HELD}) AS held LEFT JOIN account_usage AS u ON u.account = $1`,
  [],
  (row, { database }, account) => {
    if (row["stored"] === row["held"]) return [];
    const repair = repairing(database, async (sql) => {
      await sql(
        `INSERT INTO account_usage (account) VALUES ($1)
        ON CONFLICT (account) DO UPDATE SET account = excluded.account`,
        account,
      );
      const counted = await sql(
        `UPDATE account_usage AS u
        SET aliases = held.aliases, recipients = held.recipients, unverified_recipients = held.unverified
        FROM (${HELD}) AS held
        WHERE u.account = $1 AND (u.aliases, u.recipients, u.unverified_recipients)
          <> (held.aliases, held.recipients, held.unverified)
        RETURNING 1`,
        account,
      );
      await sql("DELETE FROM account_usage WHERE account = $1 AND aliases = 0 AND recipients = 0", account);
      return counted.length > 0;
    });
    return [
      {
        kind: "usage",
        account,
        alias: null,
        recipient: null,
        stored: String(row["stored"]),
        right: String(row["held"]),
        remedy: { by: "repair", repair },
      },
    ];
  },
);
