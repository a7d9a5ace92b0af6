import { ok } from "@postern/core";
import { CREATION_RETENTION, type Creation, type Creations, parseCreation } from "@postern/core/store";
import { stored } from "../file/row.ts";
import type { Database } from "./database.ts";

/**
 * Adds the creation, in the transaction that creates. False, and that must be undone, if something was already created with its key.
 * Also forgets up to 3 that are too old, which is more than it adds, so they cannot pile up.
 */
export const addCreation = ({ sql }: Database, creation: Creation | undefined): boolean => {
  if (creation === undefined) return true;
  const { account, key, fingerprint, kind, id, at, expiresAt } = creation;
  const over = at - CREATION_RETENTION;
  sql(`
    DELETE FROM creations WHERE (account, key) IN (
      SELECT account, key FROM creations WHERE at <= ? ORDER BY at LIMIT 3
    )`).run(over);
  const { changes } = sql(`
    INSERT INTO creations (account, key, fingerprint, kind, id, at, expires_at)
    VALUES (:account, :key, :fingerprint, :kind, :id, :at, :expiresAt)
    ON CONFLICT DO UPDATE
    SET fingerprint = excluded.fingerprint, kind = excluded.kind, id = excluded.id, at = excluded.at, expires_at = excluded.expires_at
    WHERE coalesce(expires_at, at + ${CREATION_RETENTION}) <= :at`).run({
    account,
    key,
    fingerprint,
    kind,
    id,
    at,
    expiresAt,
  });
  return changes === 1;
};

export const sqliteCreations = ({ sql, attempt, erase }: Database): Creations => ({
  find: (account, key, timeLeft) =>
    attempt(account, timeLeft, () => {
      const found = sql("SELECT *, expires_at AS expiresAt FROM creations WHERE account = ? AND key = ?").get(
        account,
        key,
      );
      return ok(found === undefined ? null : stored("creations", () => parseCreation(found)));
    }),

  forget: (account, limit, timeLeft) =>
    erase(account, timeLeft, () => {
      const { changes } = sql(`
        DELETE FROM creations WHERE account = :account AND key IN (
          SELECT key FROM creations WHERE account = :account LIMIT :limit
        )`).run({ account, limit });
      return ok(Number(changes));
    }),
});
