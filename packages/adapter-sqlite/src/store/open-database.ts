import type { Result } from "@postern/core";
import { watchFile } from "../file/files.ts";
import { openLog } from "../file/log-file.ts";
import type { OpenError } from "../file/open-error.ts";
import { IN_MEMORY, type Opening, openFile } from "../file/open-file.ts";
import { readMigrations, type Schema } from "../file/schema.ts";
import { type Database, database } from "./database.ts";
import { COMMAND, SERVER } from "./locking.ts";
import { completeIndex, defineSearchFunctions } from "./search-words.ts";

export const STORE: Schema = {
  kind: "store",
  // "Post" in ASCII.
  applicationId: 0x50_6f_73_74,
  // Published in `src` only: this path leads there from both `src` and `dist`.
  migrations: readMigrations(new URL("../../src/migrations/", import.meta.url)),
  prepare: (db) => {
    // Without recursive triggers, a REPLACE would delete rows without the triggers that count them.
    db.exec("PRAGMA recursive_triggers = ON");
    defineSearchFunctions(db);
  },
};

/** An open database, and whether it was `created` because the file was missing or empty. */
type OpenedDatabase = { readonly database: Database; readonly created: boolean };

/** Opens the file of a store. */
export const openDatabase = (
  path: string,
  opening: Opening,
  locking = opening === "alongside" ? COMMAND : SERVER,
): Result<OpenedDatabase, OpenError> =>
  openFile(
    path,
    opening,
    { schema: STORE, busyTimeoutMs: locking.busyTimeoutMs },
    ({ db, file, created, close }) => {
      if (opening !== "alongside") completeIndex(db);
      const isInPlace = file === IN_MEMORY ? () => true : watchFile(file);
      const log = file === IN_MEMORY || opening === "alongside" ? undefined : openLog(db, file);
      return { database: database(db, { locking, isInPlace, log }, close), created };
    },
  );
