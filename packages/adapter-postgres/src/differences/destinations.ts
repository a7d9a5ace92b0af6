import { Alias, isNonEmpty } from "@postern/core";
import { Difference } from "@postern/core/store";
import { ALIAS, aliasOf, settings } from "../alias-row.ts";
import { assignments, namesOf, valuesOf } from "../columns.ts";
import { type Checked, eachRow, PAGE, repairing, textsOf } from "./check.ts";
import { withoutTrigger } from "./locks.ts";

const stateOf = (text: string) => (text === "gone" || text === "unverified" ? text : "inactive");

const UPDATE = `
  UPDATE aliases SET ${assignments(namesOf(settings), 3)} WHERE account = $1 AND id = $2`;

/**
 * Takes the recipients that are not verified and active off the alias. If no others remain, deletes the alias, which then
 * remembers them so that its owner can restore it. They do not count in `attached`, from which the trigger would subtract them.
 */
const detach = ({ database, clock }: Checked, account: string, id: string) =>
  repairing(database, (sql) =>
    withoutTrigger(sql, "aliases", "alias_updated", async () => {
      const [row] = await sql(
        `SELECT ${ALIAS} AS alias FROM aliases AS a WHERE account = $1 AND id = $2 FOR UPDATE`,
        account,
        id,
      );
      if (row === undefined) return false;
      const alias = aliasOf(row["alias"]);
      if (alias.deletedAt !== null) return false;
      const found = await sql(
        `SELECT id FROM recipients WHERE account = $1 AND id = ANY ($2) AND verified_at IS NOT NULL AND active
        ORDER BY id FOR UPDATE`,
        account,
        alias.destinations.map(({ recipientId }) => recipientId),
      );
      const eligible = found.map((recipient) => recipient["id"]);
      const left = alias.destinations.filter(({ recipientId }) => eligible.includes(recipientId));
      if (left.length === alias.destinations.length) return false;
      const now = clock.now();
      const after = isNonEmpty(left)
        ? { ...alias, destinations: left, updatedAt: now, version: alias.version + 1 }
        : Alias.delete(alias, now);
      await sql(UPDATE, account, id, ...valuesOf(settings, after));
      await sql(
        "DELETE FROM attachments WHERE account = $1 AND alias_id = $2 AND recipient_id = ANY ($3)",
        account,
        id,
        alias.destinations.map(({ recipientId }) => recipientId).filter((each) => !eligible.includes(each)),
      );
      return true;
    }),
  );

/** Recipients that a live alias lists, but that do not exist, or are not verified and active. */
export const destinations = eachRow(
  `SELECT a.id, ARRAY(
    SELECT CASE WHEN r.id IS NULL THEN 'gone' WHEN r.verified_at IS NULL THEN 'unverified' ELSE 'inactive' END
      || ' ' || listed.id
    FROM unnest(postern_attached_recipients(a.destinations, a.deleted_at)) AS listed (id)
    LEFT JOIN recipients AS r ON r.account = a.account AND r.id = listed.id
    WHERE listed.id IS NOT NULL AND (r.id IS NULL OR r.verified_at IS NULL OR NOT r.active)
  ) AS ineligible
  FROM aliases AS a WHERE a.account = $1 AND a.id > $2 AND a.deleted_at IS NULL ORDER BY a.id LIMIT ${PAGE}`,
  ["id"],
  (row, checked, account) =>
    textsOf(row["ineligible"]).map((text) => {
      const alias = String(row["id"]);
      const end = text.indexOf(" ");
      const place = { account, alias, recipient: text.slice(end + 1) };
      return Difference.destination(place, stateOf(text.slice(0, end)), detach(checked, account, alias));
    }),
);
