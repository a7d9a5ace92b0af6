import { type Clock, ok, parseAccountId, type Result, type Store } from "@postern/core";
import { sqliteAliases } from "./aliases.ts";
import { sqliteMailLedger } from "./mail-ledger.ts";
import { openDatabase } from "./open-database.ts";
import type { OpenError } from "./open-error.ts";
import { pageOfValues } from "./page.ts";
import { sqliteRecipients } from "./recipients.ts";
import { stored } from "./row.ts";

export type SqliteStore = Store & {
  /** Closes the file and releases its lock. Every later call returns `unavailable`. Idempotent. */
  close(): void;
};

/**
 * Opens the store in the SQLite file `path`. A missing file is created, as is its directory; `:memory:` is an empty
 * store that ends with the process. `clock` decides for how long mail events and expired entries of the mail ledger are
 * remembered, and nothing else.
 *
 * - The store has its file to itself. Another store on the same file, in this process or any other, is refused with
 *   `in_use` until this one is closed or its process has ended, in whatever way.
 * - A result that is ok is on the disk (`synchronous=FULL`). It survives a crash of the process and, as far as the disk
 *   is honest about flushing, of the machine.
 * - A call that fails for an external reason, such as a full disk, returns `unavailable` and leaves nothing
 *   half-written. The store works again once the reason is gone.
 * - Erased and removed content is overwritten in the file and removed from the write-ahead log. docs/sqlite.md states
 *   the limits of that.
 * - Files are readable and writable by their owner only.
 *
 * Calls are synchronous inside: each blocks the process while SQLite works, usually for less than a millisecond plus
 * the time that the disk takes to flush a write.
 *
 * @example
 * ```ts
 * const opened = sqliteStore({ path: "/var/lib/postern/postern.db", clock: systemClock });
 * if (opened.isErr()) throw new Error(opened.error.message);
 * const store = opened.value;
 * ```
 */
export const sqliteStore = ({
  path,
  clock,
}: {
  readonly path: string;
  readonly clock: Pick<Clock, "now">;
}): Result<SqliteStore, OpenError> =>
  openDatabase(path).map((database) => ({
    aliases: sqliteAliases(database, clock),
    recipients: sqliteRecipients(database),
    mailLedger: sqliteMailLedger(database, clock),
    accounts: async ({ limit, after }) =>
      database.attempt(() => {
        const found = database
          .sql(`
            SELECT account FROM (SELECT account FROM recipients UNION SELECT account FROM aliases)
            WHERE account > ? ORDER BY account LIMIT ?`)
          .all(after ?? "", limit + 1)
          .map(({ account }) => stored(parseAccountId(account)));
        return ok(pageOfValues(found, limit));
      }),
    ping: async () =>
      database.attempt(() => {
        // `SELECT 1` would not read the file.
        database.sql("PRAGMA user_version").get();
        return ok();
      }),
    close: database.close,
  }));
