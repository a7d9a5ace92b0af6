import { existsSync, renameSync, rmSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";
import { err, ok, type Result } from "@postern/core";
import { ensureFile } from "./files.ts";
import { schemaVersion } from "./migrations.ts";
import { reasonOf } from "./sqlite-error.ts";

/** Why no backup was made. `message` is for the operator and names the file. */
export type BackupError =
  /** There is no file at `path`, or it is not a Postern database. */
  | { readonly code: "not_a_store"; readonly message: string }
  /** `to` already exists; nothing was overwritten. */
  | { readonly code: "exists"; readonly message: string }
  /** The operating system or SQLite failed: for example, no permission or no space. */
  | { readonly code: "cannot_back_up"; readonly message: string };

/** Copies all pages in one step, from a single snapshot: a write between two steps would restart the backup. */
const ALL_PAGES = 2 ** 31 - 1;

/** How long to wait for a store that is recovering or closing the file, in milliseconds. */
const BUSY_TIMEOUT_MS = 1_000;

/**
 * Copies the current state of the store in the file `path` to the new file `to`, a complete store that only its owner
 * can read. The store may be open, in this process or another, and can be used during the backup. `to` appears only
 * when it is complete; an interrupted backup leaves at most `to` + `.partial`.
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
  if (existsSync(to)) return err({ code: "exists", message: `${to} exists already` });
  // Opening a missing file would create an empty database.
  if (!existsSync(path)) return err(notAStore(path));
  const partial = `${to}.partial`;
  try {
    using source = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    if (!schemaVersion(source)) return err(notAStore(path));
    await backup(source, ensureFile(partial), { rate: ALL_PAGES });
    renameSync(partial, to);
    return ok();
  } catch (cause) {
    discard(partial);
    const message = `${path} cannot be backed up to ${to}: ${reasonOf(cause)}`;
    return err({ code: "cannot_back_up", message });
  }
};

const notAStore = (path: string): BackupError => ({
  code: "not_a_store",
  message: `${path} is not a Postern database`,
});

const discard = (file: string): void => {
  try {
    rmSync(file, { force: true });
  } catch {
    // Deleting usually fails only if creating failed too, and that error is already reported.
  }
};
