import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { err, ok, type Result } from "@postern/core";
import { type Database, database } from "./database.ts";
import { lockFile } from "./file-lock.ts";
import { ensureFile, makePrivate, watchFile } from "./files.ts";
import { COMMAND, SERVER } from "./locking.ts";
import { migrate, migrations, schemaVersion } from "./migrations.ts";
import { missing, newerVersion, notAStore, type OpenError, olderVersion, openFailed } from "./open-error.ts";
import { completeIndex, defineSearchFunctions } from "./search-words.ts";

const IN_MEMORY = ":memory:";

/** An open database, and whether it was `created` because the file was missing or empty. */
type OpenedDatabase = { readonly database: Database; readonly created: boolean };

/**
 * - `create`: as the only store on the file, which is created if it is missing or empty
 * - `existing`: as the only store on the file
 * - `alongside`: even if another store has the file open
 */
export type Opening = "create" | "existing" | "alongside";

/**
 * Opens the file, and brings its schema up to date unless it is opened alongside another store. A file that is refused is
 * left unchanged.
 */
export const openDatabase = (
  path: string,
  opening: Opening,
  locking = opening === "alongside" ? COMMAND : SERVER,
): Result<OpenedDatabase, OpenError> => {
  const [create, alone] = [opening === "create", opening !== "alongside"];
  const opened: { close(): void }[] = [];
  const closeAll = () => {
    for (const each of opened.splice(0).reverse()) each.close();
  };
  const refuse = (why: OpenError) => {
    closeAll();
    return err(why);
  };
  try {
    if (!create && !existsSync(path)) return err(missing(path));
    const file = path === IN_MEMORY ? path : ensureFile(path);
    if (file !== IN_MEMORY && alone) opened.push(lockFile(file));
    const db = new DatabaseSync(file, { timeout: locking.busyTimeoutMs });
    opened.push(db);

    // Change nothing, not even the journal mode (which is stored in the file), until the file is known to be Postern's.
    const [found, supported] = [schemaVersion(db), migrations.length];
    if (found === null) return refuse(notAStore(path));
    if (found === 0 && !create) return refuse(missing(path));
    if (found > supported) return refuse(newerVersion(path, found, supported));

    if (found < supported && !alone) return refuse(olderVersion(path, found, supported));

    if (file !== IN_MEMORY) makePrivate(file);
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    // Without recursive triggers, a REPLACE would delete rows without the triggers that count them.
    db.exec("PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON");
    // Overwrites deleted content, so that it does not survive in unused space of the file.
    db.exec("PRAGMA secure_delete = ON");
    defineSearchFunctions(db);
    if (alone) {
      migrate(db, migrations);
      completeIndex(db);
    }
    const isInPlace = file === IN_MEMORY ? () => true : watchFile(file);
    return ok({ database: database(db, { locking, isInPlace }, closeAll), created: found === 0 });
  } catch (cause) {
    return refuse(openFailed(path, cause));
  }
};
