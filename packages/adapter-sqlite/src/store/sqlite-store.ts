import { type Clock, ok, type PortResult, parseAccountId, type Result, type Store } from "@postern/core";
import { type CreateAll, type FindDifferences, pageOf } from "@postern/core/store";
import type { OpenError } from "../file/open-error.ts";
import type { Opening } from "../file/open-file.ts";
import { stored } from "../file/row.ts";
import { sqliteAliases } from "./aliases.ts";
import { sqliteApiKeys } from "./api-keys.ts";
import { sqliteBlockedSenders } from "./blocked-senders.ts";
import { sqliteContacts } from "./contacts.ts";
import { createAll } from "./create-all.ts";
import { sqliteCreations } from "./creations.ts";
import { findDifferences } from "./differences/find-differences.ts";
import { isReserveNeeded, yielding } from "./disk-reserve.ts";
import { sqliteHandedReports } from "./handed-reports.ts";
import { sqliteMailLedger } from "./mail-ledger.ts";
import { sqliteMessageLog } from "./message-log.ts";
import { openDatabase } from "./open-database.ts";
import { sqliteOutbox } from "./outbox.ts";
import { sqliteRecipients } from "./recipients.ts";
import { sqliteResends } from "./resends.ts";
import { sqliteSuspensions } from "./suspensions.ts";
import { sqliteWebhooks } from "./webhooks.ts";

export type SqliteStore = Store & {
  /** Whether the file was missing or empty, so that a new store was created. */
  readonly created: boolean;
  /**
   * Compares the data that the file holds in two places, after SQLite has checked the file itself. Works next to a running
   * server, but blocks this process: for an operator's command, which opens the store `alongside`.
   */
  readonly differences: FindDifferences;
  /** Blocks the process until it is done, about 50 µs for each thing that it creates. */
  readonly createAll: CreateAll;
  /** How many records an export of the store has. Reads an index of each table. */
  countRecords(): PortResult<number>;
  /** Closes the file and releases its lock. Every later call returns `unavailable`. Idempotent. */
  close(): void;
};

const openingOf = (create: boolean, alongside: boolean): Opening => {
  if (alongside) return "alongside";
  return create ? "create" : "existing";
};

/**
 * Opens the store in the SQLite file `path`. A missing or empty file becomes a new store, and a missing directory is
 * created, unless `create` is false: then such a file is refused with `missing`. `:memory:` opens an empty store in
 * memory. `clock` only determines how long mail events, logged messages and entries of the mail ledger are remembered.
 *
 * - Only one store can have the file open. Another one, in this process or any other, is refused with `in_use` until
 *   this one is closed or its process has ended for any reason. The exception is `alongside`, for an operator's short
 *   commands: it opens an existing store whether or not a server has it open. Its calls wait up to 10 seconds for a lock,
 *   and rest after each write, so that the server's calls do not become `unavailable`; both block its process. It does not
 *   migrate: a store of another schema version is refused with `older_version` or `newer_version`.
 * - When a call returns ok, the change is on disk, and so is what it read. It survives a crash of the process and, provided that the
 *   disk really flushes, of the machine.
 * - A call that fails for an external reason, such as a full disk, returns `unavailable` and leaves nothing half-written. If the disk fails
 *   or hangs while it flushes, the change may be stored. The store works again once the problem is solved.
 * - While less than 64 MiB of the disk are free, messages are not logged (`unavailable`), and announcements are dropped, so that settings
 *   can still be saved.
 * - Erased and removed content is overwritten in the file and removed from the write-ahead log. For limits, see
 *   docs/sqlite.md.
 * - Files are readable and writable by their owner only. Files that root creates get the owner of their directory, so that
 *   a command run as root does not lock the service out.
 *
 * Calls are synchronous internally, except for flushing writes: each blocks the process while SQLite works, usually for less than a
 * millisecond. Accounts take turns, so the calls of one account do not delay those of another by more than one call. Long lists are read in
 * several turns. Writes that wait at the same time share a transaction, and therefore a flush: each is undone on its own if it fails, and
 * returns after the flush.
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
  create = true,
  alongside = false,
}: {
  readonly path: string;
  readonly clock: Pick<Clock, "now">;
  readonly create?: boolean | undefined;
  readonly alongside?: boolean | undefined;
}): Result<SqliteStore, OpenError> =>
  openDatabase(path, openingOf(create, alongside)).map(({ database, created }) => ({
    aliases: sqliteAliases(database, clock),
    recipients: sqliteRecipients(database),
    contacts: sqliteContacts(database),
    blockedSenders: sqliteBlockedSenders(database),
    resends: sqliteResends(database, clock),
    handedReports: sqliteHandedReports(database, clock),
    webhooks: sqliteWebhooks(database),
    apiKeys: sqliteApiKeys(database),
    creations: sqliteCreations(database),
    ...yielding({ messageLog: sqliteMessageLog(database, clock), outbox: sqliteOutbox(database) }, () =>
      isReserveNeeded(path),
    ),
    mailLedger: sqliteMailLedger(database, clock),
    suspensions: sqliteSuspensions(database),
    accounts: ({ limit, after }) =>
      database.attempt(null, undefined, () => {
        const found = database
          .sql(`
            SELECT account FROM (
              SELECT account FROM recipients UNION SELECT account FROM aliases
              UNION SELECT account FROM blocked_senders UNION SELECT account FROM webhooks
              UNION SELECT account FROM api_keys UNION SELECT account FROM suspensions
            ) WHERE account > ? ORDER BY account LIMIT ?`)
          .all(after ?? "", limit + 1)
          .map(({ account }) => stored("some table", () => parseAccountId(account)));
        return ok(pageOf(found, limit, (account) => account));
      }),
    ping: () => database.probe(),
    created,
    countRecords: () =>
      database.attempt(null, undefined, () => {
        const counted = database
          .sql(`
            SELECT (SELECT count(*) FROM suspensions) + (SELECT count(*) FROM recipients) + (SELECT count(*) FROM aliases)
              + (SELECT count(*) FROM contacts) + (SELECT count(*) FROM blocked_senders) + (SELECT count(*) FROM webhooks)
              + (SELECT count(*) FROM api_keys) + (SELECT count(*) FROM retired_addresses)
              + (SELECT count(*) FROM mail_ledger) AS records`)
          .get();
        return ok(Number(counted?.["records"]));
      }),
    differences: findDifferences({ database, clock }),
    createAll: createAll(database),
    close: database.close,
  }));
