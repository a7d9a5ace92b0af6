import { existsSync, renameSync, rmSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";
import { err, ok, type Result } from "neverthrow";
import { ensureFile } from "./files.ts";
import { schemaVersion } from "./migrations.ts";
import { reasonOf } from "./sqlite-error.ts";

/** Why there is no backup. `message` is for the operator and names the file. */
export type BackupError =
  /** There is no database at `path`, or it is not Postern's. */
  | { readonly code: "not_a_store"; readonly message: string }
  /** Something is at `to` already; nothing was overwritten. */
  | { readonly code: "exists"; readonly message: string }
  /** The system or SQLite refused: no permission, no space. */
  | { readonly code: "cannot_back_up"; readonly message: string };

/** All pages in one step: a single snapshot. Between several steps each write of the store begins it anew. */
const ALL_PAGES = 2 ** 31 - 1;

/** How long to wait while a store is recovering the file or closing it, in milliseconds. */
const PATIENCE = 1_000;

/**
 * Writes what the store in the file `path` holds at this moment to the new file `to`, a store of its own that its owner only can
 * read. The store may be open, in this process or another one, and goes on reading and writing meanwhile. Nothing
 * is at `to` before all of it is; whatever stops the backup halfway leaves at most `to` + `.partial`.
 */
export const backupSqlite = async ({
  path,
  to,
}: {
  readonly path: string;
  readonly to: string;
}): Promise<Result<void, BackupError>> => {
  if (existsSync(to)) return err({ code: "exists", message: `${to} exists already` });
  // Opening what is not there would make an empty database of it.
  if (!existsSync(path)) return err(notAStore(path));
  const partial = `${to}.partial`;
  try {
    using source = new DatabaseSync(path, { timeout: PATIENCE });
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
    // Where it cannot be deleted it could not be made either, or the reason given is the same one.
  }
};
