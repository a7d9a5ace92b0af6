import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { parseSpoolId, type Result, type SpoolId } from "@postern/core";
import { type Durability, flushedApart, nothingToFlush } from "../file/durability.ts";
import { watchFile } from "../file/files.ts";
import { openLog } from "../file/log-file.ts";
import type { OpenError } from "../file/open-error.ts";
import { openFile } from "../file/open-file.ts";
import { readMigrations, type Schema } from "../file/schema.ts";
import { bodiesIn, bodyRemoval } from "./body-files.ts";

export const SPOOL: Schema = {
  kind: "spool",
  // "PosS" in ASCII.
  applicationId: 0x50_6f_73_53,
  // Published in `src` only: this path leads there from both `src` and `dist`.
  migrations: readMigrations(new URL("../../src/spool-migrations/", import.meta.url)),
  prepare: () => {},
};

/** The database of the spool in a directory. */
export const databaseIn = (directory: string): string => join(directory, "spool.db");

/** How long a transaction waits for one of another process, in milliseconds: in a server, and in a command next to it. */
const BUSY_TIMEOUT_MS = { server: 2_000, command: 10_000 };

export type SpoolFile = {
  readonly db: DatabaseSync;
  readonly durability: Durability;
  /** The path of the write-ahead log. */
  readonly log: string;
  readonly id: SpoolId;
  /** Whether the files are still where the next start looks for them; true if opened alongside. Throws the operating system's errors. */
  isInPlace(): boolean;
  close(): void;
};

/** Writes the whole log to the database. Returns whether readers allowed it. */
const truncateLog = (db: DatabaseSync): boolean =>
  db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0;

/**
 * Opens the database in a spool's directory. Unless opened alongside another process, also deletes the files of bodies that were never
 * kept.
 */
export const openSpool = (directory: string, alongside: boolean): Result<SpoolFile, OpenError> =>
  openFile(
    databaseIn(directory),
    alongside ? "alongside" : "create",
    { schema: SPOOL, busyTimeoutMs: alongside ? BUSY_TIMEOUT_MS.command : BUSY_TIMEOUT_MS.server },
    ({ db, file, close }) => {
      const id = parseSpoolId(db.prepare("SELECT id FROM spool").get()?.["id"]);
      if (id.isErr()) throw new Error("the id of the spool does not parse");
      const durability = alongside ? nothingToFlush : flushedApart(openLog(db, file), () => truncateLog(db));
      if (!alongside) {
        // After the log was flushed: see `forgetBodies`.
        const kept = db.prepare("SELECT file FROM bodies WHERE file IS NOT NULL").all();
        bodyRemoval(directory).deleteOthers(new Set(kept.map(({ file }) => String(file))));
      }
      const log = `${file}-wal`;
      // The log too: the latest commits are only there.
      const watched = alongside ? [] : [file, log, bodiesIn(directory)].map(watchFile);
      return {
        db,
        durability,
        log,
        id: id.value,
        isInPlace: () => watched.every((isThere) => isThere()),
        close: () => {
          close();
          durability.close();
        },
      };
    },
  );
