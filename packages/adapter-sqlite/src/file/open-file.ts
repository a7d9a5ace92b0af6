import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { err, ok, type Result } from "@postern/core";
import { lockFile } from "./file-lock.ts";
import { ensureFile, makePrivate } from "./files.ts";
import { missing, newerVersion, notAStore, type OpenError, olderVersion, openFailed } from "./open-error.ts";
import { migrate, type Schema, schemaVersion } from "./schema.ts";

export const IN_MEMORY = ":memory:";

/**
 * - `create`: as the only one that has the file open; it is created if it is missing or empty
 * - `existing`: as the only one
 * - `alongside`: even if a server has the file open
 */
export type Opening = "create" | "existing" | "alongside";

export type OpenFile = {
  readonly db: DatabaseSync;
  /** Its path, with symbolic links resolved. */
  readonly file: string;
  /** Whether it was missing or empty. */
  readonly created: boolean;
  /** Closes the file and releases its lock. Idempotent. */
  close(): void;
};

/**
 * Opens the file `path`, and brings its schema up to date unless it is opened alongside a server. A file that is refused is left
 * unchanged. Returns the result of `use`; if that throws, the file is closed.
 */
export const openFile = <T>(
  path: string,
  opening: Opening,
  { schema, busyTimeoutMs }: { readonly schema: Schema; readonly busyTimeoutMs: number },
  use: (opened: OpenFile) => T,
): Result<T, OpenError> => {
  const { kind } = schema;
  const [create, alone] = [opening === "create", opening !== "alongside"];
  const opened: { close(): void }[] = [];
  const close = () => {
    for (const each of opened.splice(0).reverse()) each.close();
  };
  const refuse = (why: OpenError) => {
    close();
    return err(why);
  };
  try {
    if (!create && !existsSync(path)) return err(missing(path, kind));
    const file = path === IN_MEMORY ? path : ensureFile(path);
    if (file !== IN_MEMORY && alone) opened.push(lockFile(file));
    const db = new DatabaseSync(file, { timeout: busyTimeoutMs });
    opened.push(db);

    // Change nothing, not even the journal mode (which is stored in the file), until the file is known to be Postern's.
    const [found, supported] = [schemaVersion(db, schema), schema.migrations.length];
    if (found === null) return refuse(notAStore(path));
    if (found === 0 && !create) return refuse(missing(path, kind));
    if (found > supported) return refuse(newerVersion(path, found, supported));
    if (found < supported && !alone) return refuse(olderVersion(path, found, supported));

    if (file !== IN_MEMORY) makePrivate(file);
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
    // Overwrites deleted content, so that it does not survive in unused space of the file.
    db.exec("PRAGMA secure_delete = ON");
    schema.prepare(db);
    if (alone) migrate(db, schema);
    return ok(use({ db, file, created: found === 0, close }));
  } catch (cause) {
    return refuse(openFailed(path, cause, kind));
  }
};
