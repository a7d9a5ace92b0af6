import { Recipient } from "@postern/core";
import { Difference } from "@postern/core/store";
import { ALIAS, aliasOf, aliasTable } from "../alias-table.ts";
import { findRecipients } from "../recipients.ts";
import { renumber } from "./derived.ts";
import type { Checked, Comparison } from "./rows.ts";
import { withoutTriggers } from "./without-triggers.ts";

/** Takes the recipients that are not verified and active off the alias. They do not count in `attached`. */
const detach = (account: string, id: string, { database, clock }: Checked): void => {
  const { sql } = database;
  const row = sql(`SELECT ${ALIAS} FROM aliases AS a WHERE account = ? AND id = ?`).get(account, id);
  if (row === undefined) return;
  // Without the recipients that do not exist.
  const alias = aliasOf(row);
  const listed = alias.destinations.map(({ recipientId }) => recipientId);
  const eligible = new Set(
    findRecipients(database, alias.account, listed)
      .filter((recipient) => Recipient.ineligibility(recipient) === null)
      .map((recipient) => recipient.id),
  );
  withoutTriggers(database, ["destination_detaches"], () => {
    sql(`
      DELETE FROM destinations
      WHERE account = ? AND alias_id = ? AND recipient_id NOT IN (SELECT value FROM json_each(?))`).run(
      account,
      id,
      JSON.stringify([...eligible]),
    );
    renumber(database, account, id);
    const after = Difference.detached(alias, (recipient) => eligible.has(recipient), clock.now());
    sql(aliasTable.update).run(aliasTable.updated(alias, after));
  });
};

const stateOf = (text: unknown) => (text === "gone" || text === "unverified" ? text : "inactive");

/** Recipients that a live alias lists, but that do not exist, or are not verified and active. */
const ineligible: Comparison = {
  table: "destinations",
  key: { alias_id: "", position: 0 },
  select: (rows) => `
    SELECT t.alias_id, t.position, t.recipient_id, a.id IS NULL OR (r.verified_at IS NOT NULL AND r.active = 1) AS fine,
      iif(r.id IS NULL, 'gone', iif(r.verified_at IS NULL, 'unverified', 'inactive')) AS state,
      EXISTS (
        SELECT 1 FROM destinations AS o JOIN recipients AS s ON s.account = o.account AND s.id = o.recipient_id
        WHERE o.account = t.account AND o.alias_id = t.alias_id
      ) AS detachable
    FROM ${rows} AS t LEFT JOIN aliases AS a ON a.account = t.account AND a.id = t.alias_id AND a.deleted = 0
    LEFT JOIN recipients AS r ON r.account = t.account AND r.id = t.recipient_id`,
  differencesOf: ({ fine, state, detachable }, at, correct) =>
    fine === 1
      ? null
      : // A deleted alias needs something to remember, and the file has no other copy of a recipient's address.
        Difference.destination(at, stateOf(state), detachable === 1 ? correct : null),
  correct: ({ alias_id: alias }, account, checked) => detach(account, String(alias), checked),
};

/** Live aliases that list no recipients. */
const missing: Comparison = {
  table: "aliases",
  key: { id: "" },
  select: (rows) => `
    SELECT t.id, t.id AS alias_id, t.deleted = 1 OR EXISTS (
      SELECT 1 FROM destinations AS d WHERE d.account = t.account AND d.alias_id = t.id
    ) AS fine
    FROM ${rows} AS t`,
  differencesOf: ({ fine }, at) =>
    fine === 1
      ? null
      : Difference.undecided("destination", at, {
          stored: "none",
          right: "at least one",
          action: "restore a backup: whom it forwarded to is not stored",
        }),
};

export const destinations: readonly Comparison[] = [ineligible, missing];
