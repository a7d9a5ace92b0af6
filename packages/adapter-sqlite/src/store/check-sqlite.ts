import { execFile } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { type Cause, err, ok, type Result } from "@postern/core";
import { causeOf } from "../file/cause.ts";
import { missing, newerVersion, notAStore, type OpenError, openFailed } from "../file/open-error.ts";
import { resultName } from "../file/result-names.ts";
import { schemaVersion } from "../file/schema.ts";
import { BUSY, isDamage, resultCode } from "../file/sqlite-error.ts";
import { inTransaction, rewriteFirstPage } from "../file/transaction.ts";
import { STORE } from "./open-database.ts";
import { VERIFY_PROGRAM } from "./verify-program.ts";

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
 * Why a file is not known to be intact.
 * - `damaged`: the file is damaged; the reason names tables, but no content
 * - `wrong_index`: only the search index, which can be rebuilt, does not match the aliases
 * - `not_checked`: the check itself failed, because of a lock or the operating system
 */
export type NotIntact = { readonly code: "damaged" | "wrong_index" | "not_checked"; readonly cause: Cause };

const because = (reason: string): Cause => ({ source: "sqlite", reason: reason.slice(0, 200) });

/** @param code SQLite's; not a number if the failure is not SQLite's */
const failureOf = (code: number): NotIntact =>
  Number.isNaN(code)
    ? { code: "not_checked", cause: because("the check failed") }
    : { code: isDamage(code) ? "damaged" : "not_checked", cause: because(resultName(code)) };

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
): Promise<Result<"intact" | "unfinished", NotIntact>> =>
  new Promise((resolve) => {
    const args = ["--no-warnings", "--input-type=commonjs", "-e", VERIFY_PROGRAM, path];
    // Without this process's environment, which contains secrets.
    const options = { env: {}, timeout: timeoutMs, killSignal: "SIGKILL" } as const;
    execFile(process.execPath, args, options, (error, output) => {
      if (error?.killed) return resolve(ok("unfinished"));
      const [, what, detail = ""] = /^(ok|damaged|index|code)(?: (.+))?\n$/.exec(output) ?? [];
      switch (what) {
        case "ok":
          return resolve(ok("intact"));
        case "damaged":
          return resolve(err({ code: "damaged", cause: because(detail) }));
        case "index":
          return resolve(
            err({ code: "wrong_index", cause: because("alias_words has other words than aliases") }),
          );
        case "code":
          return resolve(err(failureOf(Number(detail))));
        default:
          // For example, if the system killed it for lack of memory.
          return resolve(err({ code: "not_checked", cause: because("the process of the check failed") }));
      }
    });
  });
