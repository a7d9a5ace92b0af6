import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { err, ok, parseSpoolId, type Result, type SpoolId } from "@postern/core";
import { lockFile } from "../file-lock.ts";
import { ensureFile, makePrivate, watchFile } from "../files.ts";
import { migrate, readMigrations, schemaVersion } from "../migrations.ts";
import { missing, newerVersion, notAStore, type OpenError, olderVersion, openFailed } from "../open-error.ts";
import { bodiesIn, bodyRemoval } from "./body-files.ts";
import { LOG_SIZE } from "./disk-room.ts";

/** Marks a SQLite file as a spool (`PRAGMA application_id`): "PosS" in ASCII. */
export const SPOOL_APPLICATION_ID = 0x50_6f_73_53;

/** Published in `src` only: this path leads there from both `src` and `dist`. */
export const spoolMigrations = readMigrations(new URL("../../src/spool-migrations/", import.meta.url));

/** How long a transaction waits for one of another process, in milliseconds: in a server, and in a command next to it. */
const BUSY_TIMEOUT_MS = { server: 2_000, command: 10_000 };

export type SpoolFile = {
  readonly db: DatabaseSync;
  /** The path of the write-ahead log. */
  readonly log: string;
  readonly id: SpoolId;
  /** Whether the files are still where the next start looks for them; true if opened alongside. Throws the operating system's errors. */
  isInPlace(): boolean;
  close(): void;
};

/**
 * Opens the database in a spool's directory. Unless opened alongside another process, brings its schema up to date and deletes
 * the files of bodies that were never kept. A file that is refused is left unchanged.
 */
export const openSpool = (directory: string, alongside: boolean): Result<SpoolFile, OpenError> => {
  const path = join(directory, "spool.db");
  const opened: { close(): void }[] = [];
  const close = () => {
    for (const each of opened.splice(0).reverse()) each.close();
  };
  const refuse = (why: OpenError) => {
    close();
    return err(why);
  };
  try {
    if (alongside && !existsSync(path)) return err(missing(path, "spool"));
    const file = ensureFile(path);
    if (!alongside) opened.push(lockFile(file));
    const timeout = alongside ? BUSY_TIMEOUT_MS.command : BUSY_TIMEOUT_MS.server;
    const db = new DatabaseSync(file, { timeout });
    opened.push(db);

    const [found, supported] = [schemaVersion(db, SPOOL_APPLICATION_ID), spoolMigrations.length];
    if (found === null) return refuse(notAStore(path));
    if (found === 0 && alongside) return refuse(missing(path, "spool"));
    if (found > supported) return refuse(newerVersion(path, found, supported));
    if (found < supported && alongside) return refuse(olderVersion(path, found, supported));

    makePrivate(file);
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
    db.exec(`PRAGMA journal_size_limit = ${LOG_SIZE}`);
    // Ensures that sent mail does not survive in unused space of the file.
    db.exec("PRAGMA secure_delete = ON");
    if (!alongside) {
      migrate(db, spoolMigrations, SPOOL_APPLICATION_ID);
      const kept = db.prepare("SELECT file FROM bodies WHERE file IS NOT NULL").all();
      bodyRemoval(directory).deleteOthers(new Set(kept.map(({ file }) => String(file))));
    }
    const id = parseSpoolId(db.prepare("SELECT id FROM spool").get()?.["id"]);
    if (id.isErr()) return refuse(openFailed(path, new Error("the id of the spool does not parse"), "spool"));
    const log = `${file}-wal`;
    // The log too: the latest commits are only there.
    const watched = alongside ? [] : [file, log, bodiesIn(directory)].map(watchFile);
    return ok({ db, log, id: id.value, isInPlace: () => watched.every((isThere) => isThere()), close });
  } catch (cause) {
    return refuse(openFailed(path, cause, "spool"));
  }
};
