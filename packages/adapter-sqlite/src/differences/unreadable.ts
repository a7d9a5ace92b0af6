import { err, ok } from "@postern/core";
import type { Difference } from "@postern/core/store";
import { type Row, readable } from "../file/row.ts";
import { ALIAS, aliasOf } from "../store/alias-table.ts";
import { blockedSenderOf } from "../store/blocked-sender-row.ts";
import { contactOf } from "../store/contact-table.ts";
import { TURN, turnOf } from "../store/outbox-rows.ts";
import { recipientOf } from "../store/recipient-table.ts";
import { webhookOf } from "../store/webhook-table.ts";
import { type Check, rowsOf } from "./check.ts";

export const difference = (account: string, of: Pick<Difference, "alias" | "recipient">): Difference => ({
  kind: "unreadable",
  account,
  ...of,
  stored: "a row that does not parse",
  right: "a valid one",
  remedy: {
    by: "operator",
    action: "restore a backup, or correct the row with the sqlite3 command",
    detach: null,
  },
});

/** Rows that `parse` rejects, or that violate a constraint. */
const unreadableRows = (
  query: string,
  parse: (row: Row) => unknown,
  of: (row: Row) => Pick<Difference, "alias" | "recipient">,
): Check =>
  async function* ({ database }, account) {
    for await (const row of rowsOf(database, query, account)) {
      if (row.isErr()) yield err(row.error);
      else if (row.value["valid"] !== 1 || readable(parse, row.value) === null)
        yield ok(difference(account, of(row.value)));
    }
  };

export const unreadable: readonly Check[] = [
  // Live aliases without destinations are reported as such. Constraints that parsing does not check are repeated here.
  unreadableRows(
    `SELECT ${ALIAS}, active IN (0, 1) AND (deleted_at IS NULL) = (remembered IS NULL) AS valid FROM aliases AS a
    WHERE account = :account AND id > :after AND (deleted = 1 OR remembered IS NOT NULL OR EXISTS (
      SELECT 1 FROM destinations AS d JOIN recipients AS r ON r.account = d.account AND r.id = d.recipient_id
      WHERE d.account = a.account AND d.alias_id = a.id
    ))`,
    aliasOf,
    ({ id }) => ({ alias: String(id), recipient: null }),
  ),
  unreadableRows(
    `SELECT *, active IN (0, 1) AS valid FROM recipients WHERE account = :account AND id > :after`,
    // A wrong count is reported as such.
    (row) => recipientOf({ ...row, attached: 0 }),
    ({ id }) => ({ alias: null, recipient: String(id) }),
  ),
  unreadableRows(
    `SELECT *, 1 AS valid FROM contacts WHERE account = :account AND id > :after`,
    contactOf,
    (row) => ({ alias: String(row["alias_id"]), recipient: null }),
  ),
  unreadableRows(
    `SELECT *, 1 AS valid FROM blocked_senders WHERE account = :account AND id > :after`,
    blockedSenderOf,
    () => ({ alias: null, recipient: null }),
  ),
  unreadableRows(
    `SELECT *, 1 AS valid FROM webhooks WHERE account = :account AND id > :after`,
    webhookOf,
    () => ({ alias: null, recipient: null }),
  ),
  unreadableRows(
    `SELECT ${TURN}, webhook AS id, (failures = 0) = (failing_since IS NULL) AS valid
    FROM webhook_turns WHERE account = :account AND webhook > :after`,
    turnOf,
    () => ({ alias: null, recipient: null }),
  ),
];
