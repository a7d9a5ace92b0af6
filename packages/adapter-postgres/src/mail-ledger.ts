import { type Clock, type Conflict, err, ok } from "@postern/core";
import { type LedgerEntry, type MailLedger, pageOf, parseLedgerEntry } from "@postern/core/store";
import { type Columns, fieldsOf } from "./columns.ts";
import type { Database, Refusal } from "./database.ts";
import { type Row, stored } from "./row.ts";
import { query, statement } from "./statement.ts";

const columns = {
  key: ["key", (entry) => entry.key],
  chargedAt: ["charged_at", (entry) => entry.chargedAt],
  suppressedAt: ["suppressed_at", (entry) => entry.suppressedAt],
  expiresAt: ["expires_at", (entry) => entry.expiresAt],
  version: ["version", (entry) => entry.version],
} satisfies Columns<LedgerEntry, keyof LedgerEntry>;

const ENTRY = `json_build_object(${fieldsOf(columns, "l")}) AS entry`;

const FIND = statement("find_entries", `SELECT ${ENTRY} FROM mail_ledger AS l WHERE key = ANY ($1)`);

const LIST = statement(
  "list_entries",
  `SELECT ${ENTRY} FROM mail_ledger AS l WHERE key > $1 ORDER BY key LIMIT $2`,
);

/**
 * Locks the stored entries in the order of their keys, and then compares all versions: of two saves of the same entries, one
 * waits for the other at the first entry. An entry that both of them create violates the primary key. The core adds at most
 * two entries per call; deleting up to three that have expired keeps them from piling up.
 */
const SAVE = statement(
  "save_entries",
  `WITH entry AS (
    SELECT key, ARRAY(SELECT jsonb_array_elements_text("chargedAt")::bigint) AS charged_at,
      "suppressedAt" AS suppressed_at, "expiresAt" AS expires_at, version
    FROM jsonb_to_recordset($1)
      AS e (key text, "chargedAt" jsonb, "suppressedAt" bigint, "expiresAt" bigint, version bigint)
  ), found AS MATERIALIZED (
    SELECT key, version FROM mail_ledger WHERE key IN (SELECT key FROM entry) ORDER BY key FOR NO KEY UPDATE
  ), agreed AS (
    SELECT * FROM entry
    WHERE NOT EXISTS (SELECT FROM entry LEFT JOIN found USING (key) WHERE entry.version <> coalesce(found.version, 0) + 1)
  ), changed AS (
    UPDATE mail_ledger AS l
    SET charged_at = e.charged_at, suppressed_at = e.suppressed_at, expires_at = e.expires_at, version = e.version
    FROM agreed AS e WHERE l.key = e.key AND e.version > 1
  ), created AS (
    INSERT INTO mail_ledger (key, charged_at, suppressed_at, expires_at, version)
    SELECT key, charged_at, suppressed_at, expires_at, version FROM agreed WHERE version = 1 ORDER BY key
  ), expired AS (
    DELETE FROM mail_ledger WHERE EXISTS (SELECT FROM agreed) AND ctid = ANY (ARRAY(
      SELECT ctid FROM mail_ledger WHERE expires_at <= $2 AND key NOT IN (SELECT key FROM entry)
      ORDER BY expires_at LIMIT 3 FOR UPDATE SKIP LOCKED))
  )
  SELECT FROM agreed`,
);

const CONFLICT: Conflict = { code: "conflict" };

const saveRefusal = ({ violated }: Refusal) =>
  violated === null || violated === "mail_ledger_pkey" ? CONFLICT : null;

const entriesOf = (rows: readonly Row[]) =>
  rows.map(({ entry }) => stored("mail_ledger", parseLedgerEntry, entry));

/** One value for each field; a missing one is a compile error. */
const fieldsToSave = ({ key, chargedAt, suppressedAt, expiresAt, version }: LedgerEntry) =>
  ({ key, chargedAt, suppressedAt, expiresAt, version }) satisfies Record<keyof LedgerEntry, unknown>;

export const postgresMailLedger = ({ run }: Database, clock: Pick<Clock, "now">): MailLedger => ({
  find: (keys, timeLeft) => run(timeLeft, query(FIND, keys), (rows) => ok(entriesOf(rows))),

  save: (entries, timeLeft) =>
    run(
      timeLeft,
      query(SAVE, JSON.stringify(entries.map(fieldsToSave)), clock.now()),
      ({ length }) => (length > 0 ? ok() : err(CONFLICT)),
      saveRefusal,
    ),

  list: ({ limit, after }) =>
    run(undefined, query(LIST, after ?? "", limit + 1), (rows) =>
      ok(pageOf(entriesOf(rows), limit, ({ key }) => key)),
    ),
});
