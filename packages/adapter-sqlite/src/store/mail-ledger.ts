import { type Clock, err, ok } from "@postern/core";
import {
  type LedgerEntry,
  type LedgerKey,
  type MailLedger,
  pageOf,
  parseLedgerEntry,
} from "@postern/core/store";
import { type Row, stored } from "../file/row.ts";
import type { Database } from "./database.ts";

const entryOf = (row: Row): LedgerEntry =>
  stored("mail_ledger", () =>
    parseLedgerEntry({
      key: row["key"],
      chargedAt: JSON.parse(String(row["charged_at"])),
      suppressedAt: row["suppressed_at"],
      expiresAt: row["expires_at"],
      version: row["version"],
    } satisfies Record<keyof LedgerEntry, unknown>),
  );

/** One value for each field; a missing one is a compile error. */
const valuesOf = (entry: LedgerEntry) =>
  ({
    key: entry.key,
    chargedAt: JSON.stringify(entry.chargedAt),
    suppressedAt: entry.suppressedAt,
    expiresAt: entry.expiresAt,
    version: entry.version,
  }) satisfies Record<keyof LedgerEntry, unknown>;

/**
 * The party whose turn a call takes: the last key, which is the account's if the core names a mailbox and an account.
 * Otherwise the messages of one account would delay those of all others, and mail to every alias.
 */
const accountOf = (keys: readonly LedgerKey[]): LedgerKey | null => keys.at(-1) ?? null;

export const sqliteMailLedger = (
  { sql, attempt, transact }: Database,
  clock: Pick<Clock, "now">,
): MailLedger => ({
  find: (keys, timeLeft) =>
    attempt(accountOf(keys), timeLeft, () => {
      const find = sql("SELECT * FROM mail_ledger WHERE key = ?");
      return ok([...new Set(keys)].flatMap((key) => find.all(key)).map(entryOf));
    }),

  save: (entries, timeLeft) =>
    transact(accountOf(entries.map(({ key }) => key)), timeLeft, () => {
      const insert = sql(`
        INSERT INTO mail_ledger (key, charged_at, suppressed_at, expires_at, version)
        VALUES (:key, :chargedAt, :suppressedAt, :expiresAt, :version) ON CONFLICT DO NOTHING`);
      const update = sql(`
        UPDATE mail_ledger
        SET charged_at = :chargedAt, suppressed_at = :suppressedAt, expires_at = :expiresAt, version = :version
        WHERE key = :key AND version = :version - 1`);
      const saved = entries.every((entry) => {
        const statement = entry.version === 1 ? insert : update;
        return statement.run(valuesOf(entry)).changes === 1;
      });
      if (!saved) return err({ code: "conflict" });
      // The core adds at most two entries per call. Removing up to three keeps expired ones from piling up.
      sql(`
        DELETE FROM mail_ledger WHERE key IN (
          SELECT key FROM mail_ledger WHERE expires_at <= ? ORDER BY expires_at LIMIT 3
        )`).run(clock.now());
      return ok();
    }),

  list: ({ limit, after }) =>
    attempt(null, undefined, () => {
      const found = sql("SELECT * FROM mail_ledger WHERE key > ? ORDER BY key LIMIT ?").all(
        after ?? "",
        limit + 1,
      );
      return ok(pageOf(found.map(entryOf), limit, ({ key }) => key));
    }),
});
