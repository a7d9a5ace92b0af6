import { AccountId, type Clock, type Store } from "@postern/core";
import { ok, type Result } from "neverthrow";
import { sqliteAliases } from "./aliases.ts";
import { openDatabase } from "./open-database.ts";
import type { OpenError } from "./open-error.ts";
import { sqliteRecipients } from "./recipients.ts";

export type SqliteStore = Store & {
  /** Gives the file free. Whatever is asked afterwards is `unavailable`. Closing again does nothing. */
  close(): void;
};

/**
 * The store in the SQLite file `path`, which is made, with its directory, if it is not there; `:memory:` is an
 * empty store that ends with the process. It has the file to itself: another one, in this process or any other, is
 * refused with `in_use` until this one is closed or its process is gone, however that ended.
 *
 * What was answered `ok` is on the disk (`synchronous=FULL`) and survives a crash of the process and, as far as
 * the disk keeps its word, of the machine. A call that fails for a reason outside, be it a full disk, is `unavailable`
 * and leaves nothing half-written; the store goes on working once the reason is gone. Files can be read by their owner only.
 *
 * Calls block the process while SQLite works, some tenths of a millisecond each.
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
    accounts: async ({ limit, after }) =>
      database.attempt(() => {
        const found = database
          .sql(`
            SELECT account FROM (SELECT account FROM recipients UNION SELECT account FROM aliases)
            WHERE account > ? ORDER BY account LIMIT ?`)
          .all(after ?? "", limit + 1)
          .map(({ account }) => AccountId.parse(account));
        const items = found.slice(0, limit);
        return ok({ items, next: found.length > limit ? (items.at(-1) ?? null) : null });
      }),
    ping: async () =>
      database.attempt(() => {
        // Reads the file, which `SELECT 1` would not.
        database.sql("PRAGMA user_version").get();
        return ok();
      }),
    close: database.close,
  }));
