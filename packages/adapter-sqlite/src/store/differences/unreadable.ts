import { Difference } from "@postern/core/store";
import { type Row, readable } from "../../file/row.ts";
import { ALIAS, aliasOf } from "../alias-table.ts";
import { apiKeyOf } from "../api-key-table.ts";
import { blockedSenderOf } from "../blocked-sender-row.ts";
import { contactOf } from "../contact-table.ts";
import { loggedMessageOf } from "../logged-message-row.ts";
import { announcementOf, TURN, turnOf } from "../outbox-rows.ts";
import { recipientOf } from "../recipient-table.ts";
import { webhookOf } from "../webhook-table.ts";
import type { Comparison } from "./rows.ts";

/**
 * Rows that `parse` rejects, or that violate a constraint.
 *
 * @param columns `valid` among them, if there are constraints that parsing does not check
 */
const unreadable = (
  table: string,
  parse: (row: Row) => unknown,
  { key = { id: "" }, columns = "a.*" }: { readonly key?: Comparison["key"]; readonly columns?: string } = {},
): Comparison => ({
  table,
  key,
  select: (rows) => `SELECT ${columns} FROM ${rows} AS a`,
  differencesOf: (row, at) =>
    row["valid"] !== 0 && readable(parse, row) !== null
      ? null
      : Difference.undecided("unreadable", at, {
          stored: "a row that does not parse",
          right: "a valid one",
          action: "restore a backup, or correct the row with the sqlite3 command",
        }),
});

export const unreadables: readonly Comparison[] = [
  unreadable("aliases", (row) => row["listing"] === 0 || aliasOf(row), {
    // A live alias without recipients is reported as such.
    columns: `${ALIAS}, id AS alias_id, active IN (0, 1) AND (deleted_at IS NULL) = (remembered IS NULL) AS valid,
      deleted = 1 OR remembered IS NOT NULL OR EXISTS (
        SELECT 1 FROM destinations AS d JOIN recipients AS r ON r.account = d.account AND r.id = d.recipient_id
        WHERE d.account = a.account AND d.alias_id = a.id
      ) AS listing`,
  }),
  // A wrong count is reported as such.
  unreadable("recipients", (row) => recipientOf({ ...row, attached: 0 }), {
    columns: "a.*, id AS recipient_id, active IN (0, 1) AS valid",
  }),
  unreadable("contacts", contactOf),
  unreadable("blocked_senders", blockedSenderOf),
  unreadable("webhooks", webhookOf),
  unreadable("api_keys", apiKeyOf),
  unreadable("webhook_turns", turnOf, {
    key: { webhook: "" },
    columns: `${TURN}, (failures = 0) = (failing_since IS NULL) AS valid`,
  }),
  unreadable("logged_messages", loggedMessageOf, { key: { alias_id: "", at: 0, id: "" } }),
  unreadable("announcements", announcementOf, { key: { webhook: "", position: "" } }),
];
