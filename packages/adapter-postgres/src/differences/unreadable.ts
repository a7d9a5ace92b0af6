import { Difference } from "@postern/core/store";
import { ALIAS, aliasOf } from "../alias-row.ts";
import { announcementOf } from "../announcement-row.ts";
import { API_KEY, apiKeyOf } from "../api-key-row.ts";
import { BLOCKED_SENDER, blockedSenderOf } from "../blocked-sender-row.ts";
import { CONTACT, contactOf } from "../contact-row.ts";
import { LOGGED_MESSAGE, loggedMessageOf } from "../logged-message-row.ts";
import { RECIPIENT, recipientOf } from "../recipient-row.ts";
import { type Row, readable } from "../row.ts";
import { TURN, turnOf } from "../turn-row.ts";
import { WEBHOOK, webhookOf } from "../webhook-row.ts";
import type { Comparison } from "./rows.ts";

const BY_ID = { id: "" };

/** Rows for which `read` throws a `DamagedRow`. */
const unreadable = (
  table: string,
  key: Comparison["key"],
  select: Comparison["select"],
  read: (row: Row) => unknown,
): Comparison => ({
  table,
  key,
  select,
  differencesOf: (row, at) =>
    readable(read, row) === null
      ? [
          Difference.undecided("unreadable", at, {
            stored: "a row that does not parse",
            right: "a valid one",
            action: "restore a backup, or correct the row with psql",
          }),
        ]
      : [],
});

export const unreadables: readonly Comparison[] = [
  unreadable(
    "aliases",
    BY_ID,
    (rows) => `SELECT a.id, a.id AS alias_id, ${ALIAS} AS data FROM ${rows} AS a`,
    ({ data }) => aliasOf(data),
  ),
  unreadable(
    "recipients",
    BY_ID,
    (rows) => `SELECT r.id, r.id AS recipient_id, ${RECIPIENT} AS data FROM ${rows} AS r`,
    ({ data }) => recipientOf(data),
  ),
  unreadable(
    "contacts",
    BY_ID,
    (rows) => `SELECT c.id, c.alias_id, ${CONTACT} AS data FROM ${rows} AS c`,
    ({ data }) => contactOf(data),
  ),
  unreadable(
    "blocked_senders",
    BY_ID,
    (rows) => `SELECT b.id, ${BLOCKED_SENDER} AS data FROM ${rows} AS b`,
    ({ data }) => blockedSenderOf(data),
  ),
  unreadable(
    "logged_messages",
    { alias_id: "", at: 0, id: "" },
    (rows) => `SELECT m.alias_id, m.at, m.id, ${LOGGED_MESSAGE} AS data FROM ${rows} AS m`,
    ({ data }) => loggedMessageOf(data),
  ),
  unreadable(
    "webhooks",
    BY_ID,
    (rows) => `SELECT w.id, ${WEBHOOK} AS data FROM ${rows} AS w`,
    ({ data }) => webhookOf(data),
  ),
  unreadable(
    "api_keys",
    BY_ID,
    (rows) => `SELECT k.id, ${API_KEY} AS data FROM ${rows} AS k`,
    ({ data }) => apiKeyOf(data),
  ),
  unreadable(
    "announcements",
    { webhook: "", position: "" },
    (rows) => `SELECT * FROM ${rows} AS a`,
    announcementOf,
  ),
  unreadable("webhook_turns", { webhook: "" }, (rows) => `SELECT ${TURN} FROM ${rows} AS t`, turnOf),
];
