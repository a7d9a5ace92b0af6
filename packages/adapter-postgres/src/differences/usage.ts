import { err, ok } from "@postern/core";
import { type AccountCheck, Difference } from "@postern/core/store";
import type { Sql } from "../database.ts";
import { type Checked, correcting } from "./rows.ts";

/** The numbers of aliases and recipients that the account `$1` has. */
const HELD = `
  SELECT (SELECT count(*) FROM aliases WHERE account = $1) AS aliases, count(*) AS recipients,
    count(*) FILTER (WHERE verified_at IS NULL) AS unverified
  FROM recipients WHERE account = $1`;

const textOf = (aliases: string, recipients: string, unverified: string) =>
  `format('%s aliases, %s recipients, %s of them unverified', ${aliases}, ${recipients}, ${unverified})`;

const COMPARED = `
  SELECT ${textOf("coalesce(u.aliases, 0)", "coalesce(u.recipients, 0)", "coalesce(u.unverified_recipients, 0)")} AS stored,
    ${textOf("held.aliases", "held.recipients", "held.unverified")} AS right_counts
  FROM (${HELD}) AS held LEFT JOIN account_usage AS u ON u.account = $1`;

/** Its row is locked first, as in any write that adds or removes something. */
const correct = async (sql: Sql, account: string): Promise<boolean> => {
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
};

/** How many aliases and recipients an account has. */
export const usage = (checked: Checked): AccountCheck =>
  async function* (account) {
    const query = { text: COMPARED, values: [account] };
    const compared = await checked.database.run(undefined, query, ([row]) => ok(row));
    if (compared.isErr()) return yield err(compared.error);
    const { stored, right_counts: right } = compared.value ?? {};
    if (stored === right) return;
    const correction = () => correcting(checked, (sql) => correct(sql, account));
    const at = { account, alias: null, recipient: null };
    yield ok(Difference.count("usage", at, { stored: `${stored}`, right: `${right}` }, correction));
  };
