import { Difference } from "@postern/core/store";
import { ALIAS, aliasOf, settings } from "../alias-row.ts";
import { assignments, namesOf, valuesOf } from "../columns.ts";
import type { Sql } from "../database.ts";
import type { Row } from "../row.ts";
import { textsOf } from "./derived.ts";
import type { Checked, Comparison } from "./rows.ts";

const stateOf = (text: string) => (text === "gone" || text === "unverified" ? text : "inactive");

/**
 * Takes the recipients that are not verified and active off the alias. They do not count in `attached`, from which the trigger would
 * subtract them.
 */
const detach = async (sql: Sql, row: Row, account: string, { clock }: Checked) => {
  const alias = aliasOf(row["alias"]);
  const listed = alias.destinations.map(({ recipientId }) => recipientId);
  const found = await sql(
    `SELECT id FROM recipients WHERE account = $1 AND id = ANY ($2) AND verified_at IS NOT NULL AND active
    ORDER BY id FOR UPDATE`,
    account,
    listed,
  );
  const eligible = new Set(found.map(({ id }) => id));
  const after = Difference.detached(alias, (recipient) => eligible.has(recipient), clock.now());
  await sql(
    `UPDATE aliases SET ${assignments(namesOf(settings), 3)} WHERE account = $1 AND id = $2`,
    account,
    alias.id,
    ...valuesOf(settings, after),
  );
  await sql(
    "DELETE FROM attachments WHERE account = $1 AND alias_id = $2 AND recipient_id = ANY ($3)",
    account,
    alias.id,
    listed.filter((recipient) => !eligible.has(recipient)),
  );
};

/** Recipients that a live alias lists, but that do not exist, or are not verified and active. */
export const destinations: Comparison = {
  table: "aliases",
  key: { id: "" },
  select: (rows) => `
    SELECT a.id, a.id AS alias_id, ${ALIAS} AS alias, ARRAY(
      SELECT CASE WHEN r.id IS NULL THEN 'gone' WHEN r.verified_at IS NULL THEN 'unverified' ELSE 'inactive' END
        || ' ' || listed.id
      FROM unnest(postern_attached_recipients(a.destinations, a.deleted_at)) AS listed (id)
      LEFT JOIN recipients AS r ON r.account = a.account AND r.id = listed.id
      WHERE listed.id IS NOT NULL AND (r.id IS NULL OR r.verified_at IS NULL OR NOT r.active)
    ) AS ineligible
    FROM ${rows} AS a`,
  differencesOf: (row, at, correct) =>
    textsOf(row["ineligible"]).map((text) => {
      const end = text.indexOf(" ");
      return Difference.destination(
        { ...at, recipient: text.slice(end + 1) },
        stateOf(text.slice(0, end)),
        correct,
      );
    }),
  without: { table: "aliases", trigger: "alias_updated" },
  correct: detach,
};
