import { randomBytes } from "node:crypto";
import { existsSync, linkSync, lstatSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { err, ok, type Result } from "@postern/core";
import { createFile, flush } from "../file/files.ts";
import { schemaVersion } from "../file/schema.ts";
import { CORRUPT, reasonOf, resultCode } from "../file/sqlite-error.ts";
import { rollBack } from "../file/transaction.ts";
import { writeLog } from "../file/write-log.ts";
import { damageOf } from "./damage.ts";
import { STORE } from "./open-database.ts";

/** Why no backup was made. `message` is for the operator and names the file. */
export type BackupError =
  /** There is no file at `path`, or it is not a Postern database. */
  | { readonly code: "not_a_store"; readonly message: string }
  /** `to` already exists; nothing was overwritten. */
  | { readonly code: "exists"; readonly message: string }
  /** The store does not pass SQLite's checks, so a copy of it would be useless. */
  | { readonly code: "damaged"; readonly message: string }
  /** The operating system or SQLite failed: for example, no such directory, no permission or no space. */
  | { readonly code: "cannot_back_up"; readonly message: string };

/**
 * How many pages are copied, 8 MB, before they are flushed. If all were flushed together, a server's next write would wait for the disk until
 * that is done.
 */
const PAGES_A_STEP = 2_000;

/** How long to wait for a store that is recovering or closing the file, in milliseconds. */
const BUSY_TIMEOUT_MS = 1_000;

/**
 * Copies the current state of the store in the file `path` to the new file `to`, a complete store that only its owner
 * can read. The store may be open, in this process or another, and can be used during the backup. `to` appears only
 * when the copy has passed SQLite's `integrity_check` and `foreign_key_check` and is on the disk; an interrupted backup
 * leaves at most `to` + a random suffix + `.partial`. Never follows a symbolic link at `to` or overwrites a file.
 *
 * The checks read the whole copy and block this process for several seconds per 100 MB: back up a large store from a
 * separate process, as the server's `backup` command does.
 *
 * @example
 * ```ts
 * const made = await backupSqlite({ path: "/var/lib/postern/postern.db", to: "/backups/2026-01-31.db" });
 * if (made.isErr()) console.error(made.error.message);
 * ```
 */
export const backupSqlite = async ({
  path,
  to,
}: {
  readonly path: string;
  readonly to: string;
}): Promise<Result<void, BackupError>> => {
  // The name cannot be guessed, so no file or link can be planted there in advance.
  const partial = `${to}.${randomBytes(8).toString("hex")}.partial`;
  try {
    if (isTaken(to)) return err(exists(to));
    // Treat a missing directory as a typo.
    if (!existsSync(dirname(to))) return err(noDirectory(path, to));
    // Opening a missing file would create an empty database.
    if (!existsSync(path)) return err(missing(path));
    using source = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    if (!schemaVersion(source, STORE)) return err(notAStore(path));
    createFile(partial);
    await copy(source, partial);
    const damage = damageOf(partial);
    if (damage !== null) return err(damaged(path, damage));
    flush(partial);
    // Another backup may have been made under this name in the meantime.
    if (!publish(partial, to)) return err(exists(to));
    discard(partial);
    flush(dirname(to));
    return ok();
  } catch (cause) {
    if (resultCode(cause) === CORRUPT) return err(damaged(path, reasonOf(cause)));
    const message = `${path} cannot be backed up to ${to}: ${reasonOf(cause)}`;
    return err({ code: "cannot_back_up", message });
  } finally {
    discard(partial);
  }
};

/** Copies all pages in one snapshot, and leaves no long write-ahead log behind. */
const copy = async (source: DatabaseSync, to: string): Promise<void> => {
  // A snapshot for all steps: otherwise a write between two of them would begin the backup again. It also ends in this thread, before a
  // server's next write.
  source.exec("BEGIN; SELECT 1 FROM sqlite_schema");
  try {
    await backup(source, to, { rate: PAGES_A_STEP, progress: () => flush(to) });
  } finally {
    rollBack(source);
    writeLog((text) => source.prepare(text));
  }
};

/** True for a broken symbolic link, too. */
const isTaken = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** The error codes of file systems without hard links, such as exFAT and some network file systems. */
const NO_HARD_LINKS: readonly unknown[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

/**
 * Gives `file` the name `to`; false if that name is taken. Renaming would replace an existing file; adding a second name
 * never does, so if several backups use the same name, only the first is made.
 */
const publish = (file: string, to: string): boolean => {
  try {
    linkSync(file, to);
    return true;
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "EEXIST") return false;
    if (!NO_HARD_LINKS.includes(code)) throw cause;
    if (isTaken(to)) return false;
    renameSync(file, to);
    return true;
  }
};

const exists = (to: string): BackupError => ({ code: "exists", message: `${to} already exists` });

const noDirectory = (path: string, to: string): BackupError => ({
  code: "cannot_back_up",
  message: `${path} cannot be backed up to ${to}: the directory ${dirname(to)} does not exist`,
});

const missing = (path: string): BackupError => ({
  code: "not_a_store",
  message: `${path} does not exist`,
});

const notAStore = (path: string): BackupError => ({
  code: "not_a_store",
  message: `${path} is not a Postern database`,
});

const damaged = (path: string, damage: string): BackupError => ({
  code: "damaged",
  message: `${path} is damaged (${damage}): it was not backed up`,
});

/** Removes the file's temporary name, if it still has it. */
const discard = (file: string): void => {
  try {
    rmSync(file, { force: true });
  } catch {
    // Deleting usually fails only if creating failed too, and that error is already reported.
  }
};
