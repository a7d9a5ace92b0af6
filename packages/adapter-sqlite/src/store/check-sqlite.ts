import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { type Cause, err, ok, type Result } from "@postern/core";
import { causeOf } from "../file/cause.ts";
import { missing, newerVersion, notAStore, type OpenError, openFailed } from "../file/open-error.ts";
import { schemaVersion } from "../file/schema.ts";
import { BUSY, resultCode } from "../file/sqlite-error.ts";
import { inTransaction, rewriteFirstPage } from "../file/transaction.ts";
import { type NotIntact, verifyFile } from "../file/verify-file.ts";
import { STORE } from "./open-database.ts";

/*
 * For an operator who wants to know what is wrong with a store. All of this works next to a running server, leaves the
 * file unchanged, and never creates one.
 */

/** The properties of a store's file. */
export type SqliteFile = {
  /** Its schema version. Opening a store requires a version of at most `supported`, and migrates the file to `supported`. */
  readonly version: number;
  readonly supported: number;
  /** Its size in bytes, without the write-ahead log. */
  readonly bytes: number;
};

/** The pause between attempts to get the lock of a file that a server is writing to, in milliseconds. */
const PAUSE_MS = 5;

/**
 * Whether a store has the file `path` open, in any process, or had it open when the file was moved or deleted. False if this
 * cannot be determined because this process may not read the lock.
 */
export const isSqliteInUse = (path: string): boolean => {
  const file = `${path}-lock`;
  if (!existsSync(file)) return false;
  try {
    using lock = new DatabaseSync(file, { readOnly: true, timeout: 0 });
    lock.prepare("SELECT 1 FROM sqlite_schema").get();
    return false;
  } catch (cause) {
    return resultCode(cause) === BUSY;
  }
};

/**
 * Inspects the file `path` without changing it, whether or not a store has it open. Unlike `sqliteStore`, accepts a file
 * of an older version.
 *
 * @example
 * ```ts
 * const file = inspectSqlite("/var/lib/postern/postern.db");
 * console.log(file.isOk() ? `schema version ${file.value.version}` : file.error.message);
 * ```
 */
export const inspectSqlite = (path: string): Result<SqliteFile, OpenError> => {
  try {
    // Throws if this process may not look into the directory.
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return err(missing(path, "store"));
    using db = new DatabaseSync(path, { timeout: 0 });
    const [version, supported] = [schemaVersion(db, STORE), STORE.migrations.length];
    if (version === null) return err(notAStore(path));
    if (version === 0) return err(missing(path, "store"));
    if (version > supported) return err(newerVersion(path, version, supported));
    return ok({ version, supported, bytes: found.size });
  } catch (cause) {
    return err(openFailed(path, cause, "store"));
  }
};

/**
 * Finds out whether the store in the file `path` can be written to, with a transaction that is committed and flushed to the
 * disk but changes nothing. If a server is writing, waits at most `timeoutMs` milliseconds, without blocking this process.
 */
export const probeSqlite = async (path: string, timeoutMs: number): Promise<Result<void, Cause>> => {
  const deadline = performance.now() + timeoutMs;
  try {
    using db = new DatabaseSync(path, { timeout: 0 });
    db.exec("PRAGMA synchronous = FULL");
    for (;;) {
      try {
        inTransaction(db, () => rewriteFirstPage(db));
        return ok();
      } catch (cause) {
        if (resultCode(cause) !== BUSY || performance.now() >= deadline) throw cause;
      }
      await setTimeout(PAUSE_MS);
    }
  } catch (cause) {
    return err(causeOf(cause));
  }
};

/**
 * Looks for damage in the store in the file `path`: damaged pages, violated constraints, and rows that reference missing ones
 * (SQLite's `quick_check` and `foreign_key_check`; `backupSqlite` also compares indexes with their tables). Compares the search index
 * with the words of the aliases. Reads the whole file in a separate process, for at most `timeoutMs` milliseconds.
 *
 * @returns `intact`; `unfinished` if the time was too short; or why it is not known to be intact
 */
export const verifySqlite = (
  path: string,
  timeoutMs: number,
): Promise<Result<"intact" | "unfinished", NotIntact>> => verifyFile(path, "quick_check", timeoutMs);
