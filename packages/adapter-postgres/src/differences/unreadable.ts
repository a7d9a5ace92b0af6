import type { Difference } from "@postern/core";
import { ALIAS, aliasOf } from "../alias-row.ts";
import { ANNOUNCEMENT, announcementOf } from "../announcement-row.ts";
import { BLOCKED_SENDER, blockedSenderOf } from "../blocked-sender-row.ts";
import { CONTACT, contactOf } from "../contact-row.ts";
import { LOGGED_MESSAGE, loggedMessageOf } from "../logged-message-row.ts";
import { RECIPIENT, recipientOf } from "../recipient-row.ts";
import { readable } from "../row.ts";
import { TURN, turnOf } from "../turn-row.ts";
import { WEBHOOK, webhookOf } from "../webhook-row.ts";
import { type Check, eachRow, PAGE } from "./check.ts";

const unreadableRow = (account: string, of: Pick<Difference, "alias" | "recipient">): Difference => ({
  kind: "unreadable",
  account,
  ...of,
  stored: "a row that does not parse",
  right: "a valid one",
  remedy: { by: "operator", action: "restore a backup, or correct the row with psql", detach: null },
});

export const unreadable: readonly Check[] = [
  eachRow(
    `SELECT a.id, ${ALIAS} AS data FROM aliases AS a WHERE account = $1 AND id > $2 ORDER BY id LIMIT ${PAGE}`,
    ["id"],
    (row, _, account) =>
      readable(aliasOf, row["data"]) === null
        ? [unreadableRow(account, { alias: String(row["id"]), recipient: null })]
        : [],
  ),
  eachRow(
    `SELECT r.id, ${RECIPIENT} AS data FROM recipients AS r WHERE account = $1 AND id > $2 ORDER BY id LIMIT ${PAGE}`,
    ["id"],
    (row, _, account) =>
      readable(recipientOf, row["data"]) === null
        ? [unreadableRow(account, { alias: null, recipient: String(row["id"]) })]
        : [],
  ),
  eachRow(
    `SELECT c.id, c.alias_id, ${CONTACT} AS data FROM contacts AS c WHERE account = $1 AND id > $2 ORDER BY id LIMIT ${PAGE}`,
    ["id"],
    (row, _, account) =>
      readable(contactOf, row["data"]) === null
        ? [unreadableRow(account, { alias: String(row["alias_id"]), recipient: null })]
        : [],
  ),
  eachRow(
    `SELECT b.id, ${BLOCKED_SENDER} AS data FROM blocked_senders AS b WHERE account = $1 AND id > $2 ORDER BY id LIMIT ${PAGE}`,
    ["id"],
    (row, _, account) =>
      readable(blockedSenderOf, row["data"]) === null
        ? [unreadableRow(account, { alias: null, recipient: null })]
        : [],
  ),
  eachRow(
    `SELECT m.alias_id, m.at, m.id, ${LOGGED_MESSAGE} AS data FROM logged_messages AS m
    WHERE account = $1 AND (alias_id, at, id) > ($2, coalesce(nullif($3, ''), '0')::bigint, $4)
    ORDER BY alias_id, at, id LIMIT ${PAGE}`,
    ["alias_id", "at", "id"],
    (row, _, account) =>
      readable(loggedMessageOf, row["data"]) === null
        ? [unreadableRow(account, { alias: String(row["alias_id"]), recipient: null })]
        : [],
  ),
  eachRow(
    `SELECT w.id, ${WEBHOOK} AS data FROM webhooks AS w WHERE account = $1 AND id > $2 ORDER BY id LIMIT ${PAGE}`,
    ["id"],
    (row, _, account) =>
      readable(webhookOf, row["data"]) === null
        ? [unreadableRow(account, { alias: null, recipient: null })]
        : [],
  ),
  eachRow(
    `SELECT ${ANNOUNCEMENT} FROM announcements
    WHERE account = $1 AND (webhook, position) > ($2, $3) ORDER BY webhook, position LIMIT ${PAGE}`,
    ["webhook", "position"],
    (row, _, account) =>
      readable(announcementOf, row) === null
        ? [unreadableRow(account, { alias: null, recipient: null })]
        : [],
  ),
  eachRow(
    `SELECT ${TURN} FROM webhook_turns AS t WHERE account = $1 AND webhook > $2 ORDER BY webhook LIMIT ${PAGE}`,
    ["webhook"],
    (row, _, account) =>
      readable(turnOf, row) === null ? [unreadableRow(account, { alias: null, recipient: null })] : [],
  ),
];
