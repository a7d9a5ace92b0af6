import { Alias, type Destinations, isNonEmpty, ok, Recipient } from "@postern/core";
import { Difference } from "@postern/core/store";
import { ALIAS, aliasOf, aliasTable } from "../store/alias-table.ts";
import { findRecipients } from "../store/recipients.ts";
import { type Check, type Checked, eachRow } from "./check.ts";
import { replaceRows } from "./replace-rows.ts";

const stateOf = (text: unknown) => (text === "gone" || text === "unverified" ? text : "inactive");

/**
 * Takes the recipients that are not verified and active off the alias. If no others remain, deletes the alias, which then
 * remembers them so that its owner can restore it.
 */
const detach = ({ database, clock }: Checked, account: string, id: string) =>
  database.transact<"repaired" | "gone">(null, undefined, () => {
    const { sql } = database;
    const row = sql(`SELECT ${ALIAS} FROM aliases AS a WHERE account = ? AND id = ?`).get(account, id);
    if (row === undefined || row["deleted"] === 1) return ok("gone");
    // Without the recipients that do not exist.
    const alias = aliasOf(row);
    const listed = alias.destinations.map(({ recipientId }) => recipientId);
    const eligible = findRecipients(database, alias.account, listed)
      .filter((recipient) => Recipient.ineligibility(recipient) === null)
      .map((recipient) => recipient.id);
    const rows = sql("SELECT 1 FROM destinations WHERE account = ? AND alias_id = ?").all(account, id).length;
    if (eligible.length === rows) return ok("gone");
    const left = alias.destinations.filter(({ recipientId }) => eligible.includes(recipientId));
    const after = isNonEmpty(left) ? saved(alias, left, clock.now()) : Alias.delete(alias, clock.now());
    // Recipients that are taken off do not count in `attached`, because they are not eligible.
    replaceRows(database, { account, alias: id }, eligible, () => {
      sql(aliasTable.update).run(aliasTable.updated(alias, after));
    });
    return ok("repaired");
  });

const saved = (alias: Alias, destinations: Destinations, now: number): Alias => ({
  ...alias,
  destinations,
  updatedAt: now,
  version: alias.version + 1,
});

const INELIGIBLE = "(r.id IS NULL OR r.verified_at IS NULL OR r.active <> 1)";

/** Recipients that a live alias lists, but that do not exist, or are not verified and active. */
const ineligible = eachRow(
  // No id contains the character 1.
  `SELECT d.alias_id || char(1) || d.recipient_id AS id, d.alias_id, d.recipient_id,
    iif(r.id IS NULL, 'gone', iif(r.verified_at IS NULL, 'unverified', 'inactive')) AS state,
    EXISTS (
      SELECT 1 FROM destinations AS o JOIN recipients AS s ON s.account = o.account AND s.id = o.recipient_id
      WHERE o.account = d.account AND o.alias_id = d.alias_id
    ) AS detachable
  FROM destinations AS d CROSS JOIN aliases AS a ON a.account = d.account AND a.id = d.alias_id AND a.deleted = 0
  LEFT JOIN recipients AS r ON r.account = d.account AND r.id = d.recipient_id
  WHERE d.account = :account AND d.alias_id || char(1) || d.recipient_id > :after AND ${INELIGIBLE}`,
  (row, checked, account) => {
    const [alias, recipient] = [String(row["alias_id"]), String(row["recipient_id"])];
    return Difference.destination(
      { account, alias, recipient },
      stateOf(row["state"]),
      // A deleted alias needs something to remember, and the file has no other copy of a recipient's address.
      row["detachable"] === 1 ? () => detach(checked, account, alias) : null,
    );
  },
);

/** Live aliases that list no recipients. */
const missing = eachRow(
  `SELECT id FROM aliases AS a WHERE account = :account AND id > :after AND deleted = 0 AND NOT EXISTS (
    SELECT 1 FROM destinations AS d WHERE d.account = a.account AND d.alias_id = a.id
  )`,
  (row, _, account) => ({
    kind: "destination",
    account,
    alias: String(row["id"]),
    recipient: null,
    stored: "none",
    right: "at least one",
    remedy: { by: "operator", action: "restore a backup: whom it forwarded to is not stored", detach: null },
  }),
);

export const destinations: readonly Check[] = [ineligible, missing];
