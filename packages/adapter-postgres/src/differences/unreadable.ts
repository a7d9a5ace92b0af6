import type { Difference } from "@postern/core/store";
import { ALIAS, aliasOf } from "../alias-row.ts";
import { ANNOUNCEMENT, announcementOf } from "../announcement-row.ts";
import { BLOCKED_SENDER, blockedSenderOf } from "../blocked-sender-row.ts";
import { CONTACT, contactOf } from "../contact-row.ts";
import { LOGGED_MESSAGE, loggedMessageOf } from "../logged-message-row.ts";
import { RECIPIENT, recipientOf } from "../recipient-row.ts";
import { type Row, readable } from "../row.ts";
import { TURN, turnOf } from "../turn-row.ts";
import { WEBHOOK, webhookOf } from "../webhook-row.ts";
import { type Check, eachRow, PAGE } from "./check.ts";

/** What an unreadable row belongs to, besides its account. */
type Owner = Pick<Difference, "alias" | "recipient">;

const ofAccount = (): Owner => ({ alias: null, recipient: null });
const ofAlias =
  (column: string) =>
  (row: Row): Owner => ({ alias: String(row[column]), recipient: null });

/** Finds the rows of a query (see `eachRow`) for which `read` throws a `DamagedRow`. */
const unreadableRows = <T>(
  text: string,
  key: readonly string[],
  read: (row: Row) => T,
  ownerOf: (row: Row) => Owner = ofAccount,
): Check =>
  eachRow(text, key, (row, _, account) =>
    readable(read, row) === null
      ? [
          {
            kind: "unreadable",
            account,
            ...ownerOf(row),
            stored: "a row that does not parse",
            right: "a valid one",
            remedy: {
              by: "operator",
              action: "restore a backup, or correct the row with psql",
              detach: null,
            },
          },
        ]
      : [],
  );

export const unreadable: readonly Check[] = [
  unreadableRows(
    `SELECT a.id, ${ALIAS} AS data FROM aliases AS a WHERE account = $1 AND id > $2 ORDER BY id LIMIT ${PAGE}`,
    ["id"],
    ({ data }) => aliasOf(data),
    ofAlias("id"),
  ),
  unreadableRows(
    `SELECT r.id, ${RECIPIENT} AS data FROM recipients AS r WHERE account = $1 AND id > $2 ORDER BY id LIMIT ${PAGE}`,
    ["id"],
    ({ data }) => recipientOf(data),
    (row) => ({ alias: null, recipient: String(row["id"]) }),
  ),
  unreadableRows(
    `SELECT c.id, c.alias_id, ${CONTACT} AS data FROM contacts AS c WHERE account = $1 AND id > $2 ORDER BY id LIMIT ${PAGE}`,
    ["id"],
    ({ data }) => contactOf(data),
    ofAlias("alias_id"),
  ),
  unreadableRows(
    `SELECT b.id, ${BLOCKED_SENDER} AS data FROM blocked_senders AS b WHERE account = $1 AND id > $2 ORDER BY id LIMIT ${PAGE}`,
    ["id"],
    ({ data }) => blockedSenderOf(data),
  ),
  unreadableRows(
    `SELECT m.alias_id, m.at, m.id, ${LOGGED_MESSAGE} AS data FROM logged_messages AS m
    WHERE account = $1 AND (alias_id, at, id) > ($2, coalesce(nullif($3, ''), '0')::bigint, $4)
    ORDER BY alias_id, at, id LIMIT ${PAGE}`,
    ["alias_id", "at", "id"],
    ({ data }) => loggedMessageOf(data),
    ofAlias("alias_id"),
  ),
  unreadableRows(
    `SELECT w.id, ${WEBHOOK} AS data FROM webhooks AS w WHERE account = $1 AND id > $2 ORDER BY id LIMIT ${PAGE}`,
    ["id"],
    ({ data }) => webhookOf(data),
  ),
  unreadableRows(
    `SELECT ${ANNOUNCEMENT} FROM announcements
    WHERE account = $1 AND (webhook, position) > ($2, $3) ORDER BY webhook, position LIMIT ${PAGE}`,
    ["webhook", "position"],
    announcementOf,
  ),
  unreadableRows(
    `SELECT ${TURN} FROM webhook_turns AS t WHERE account = $1 AND webhook > $2 ORDER BY webhook LIMIT ${PAGE}`,
    ["webhook"],
    turnOf,
  ),
];
