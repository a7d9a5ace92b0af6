import { DatabaseSync } from "node:sqlite";
import { err, ok, type Result } from "neverthrow";
import { type Database, database } from "./database.ts";
import { lockFile } from "./file-lock.ts";
import { ensureFile, makePrivate } from "./files.ts";
import { migrate, migrations, schemaVersion } from "./migrations.ts";
import { newerVersion, notAStore, type OpenError, openFailed } from "./open-error.ts";

/**
 * How long a statement waits for a lock, in milliseconds. Only tools that write to the file while the store has it
 * open make it wait, and the whole process waits with it.
 */
const BUSY_TIMEOUT = 250;

const IN_MEMORY = ":memory:";

/** Opens the file, or makes it, and brings its schema up to date. Refused, a file is as it was before. */
export const openDatabase = (path: string): Result<Database, OpenError> => {
  const opened: { close(): void }[] = [];
  const closeAll = () => {
    for (const each of opened.splice(0).reverse()) each.close();
  };
  const refuse = (why: OpenError) => {
    closeAll();
    return err(why);
  };
  try {
    const file = path === IN_MEMORY ? path : ensureFile(path);
    if (file !== IN_MEMORY) opened.push(lockFile(file));
    const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT });
    opened.push(db);

    // Nothing may be changed before the file is known to be ours: the journal's mode is kept in it.
    const [found, supported] = [schemaVersion(db), migrations.length];
    if (found === null) return refuse(notAStore(path));
    if (found > supported) return refuse(newerVersion(path, found, supported));

    if (file !== IN_MEMORY) makePrivate(file);
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    // Without recursive triggers a REPLACE would delete rows behind the back of the triggers that count them.
    db.exec("PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON");
    migrate(db, migrations);
    return ok(database(db, closeAll));
  } catch (cause) {
    return refuse(openFailed(path, cause));
  }
};
