import { readdirSync, readFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { defineSearchFunctions } from "./search-words.ts";
import { NOT_A_DATABASE, resultCode } from "./sqlite-error.ts";

/** Migrates a file from schema version `version` - 1 to `version`. */
export type Migration = { readonly version: number; readonly sql: string };

/** Marks a SQLite file as Postern's (`PRAGMA application_id`): "Post" in ASCII. */
const APPLICATION_ID = 0x50_6f_73_74;

/** The migrations in a directory, oldest first: `0001-….sql` migrates an empty file to version 1, and so on without a gap. */
export const readMigrations = (directory: URL): readonly Migration[] =>
  readdirSync(directory)
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name) => ({
      version: Number.parseInt(name, 10),
      sql: readFileSync(new URL(name, directory), "utf8"),
    }));

/** All migrations of a store. The `.sql` files are published in `src` only: this path leads there from both `src` and `dist`. */
export const migrations = readMigrations(new URL("../src/migrations/", import.meta.url));

const pragma = (db: DatabaseSync, name: "application_id" | "user_version" | "schema_version"): number =>
  Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);

/** The schema version of a Postern file; 0 if it is empty, null if it is anything else. Changes nothing. */
export const schemaVersion = (db: DatabaseSync, applicationId = APPLICATION_ID): number | null => {
  try {
    const application = pragma(db, "application_id");
    if (application === applicationId) return pragma(db, "user_version");
    const empty = db.prepare("SELECT 1 FROM sqlite_schema").get() === undefined;
    return application === 0 && empty ? 0 : null;
  } catch (cause) {
    if (resultCode(cause) === NOT_A_DATABASE) return null;
    throw cause;
  }
};

/** Defensive mode, which Node added in 24.12 and enables by default in later versions, forbids editing the text of the schema. */
const setDefensive = (db: DatabaseSync, active: boolean): void => {
  if ("enableDefensive" in db) db.enableDefensive(active);
};

/** Applies the `steps` that the file lacks, in one transaction: if one throws, none is applied. */
export const migrate = (
  db: DatabaseSync,
  steps: readonly Migration[],
  applicationId = APPLICATION_ID,
): void => {
  const current = schemaVersion(db, applicationId);
  const pending = steps.filter(({ version }) => current !== null && version > current);
  if (pending.length === 0) return;
  defineSearchFunctions(db);
  setDefensive(db, false);
  db.exec("BEGIN IMMEDIATE");
  try {
    for (const { version, sql } of pending) {
      db.exec(sql);
      db.exec(`PRAGMA user_version = ${version}`);
    }
    db.exec(`PRAGMA application_id = ${applicationId}`);
    // Makes programs that have the file open read the schema again, which SQLite does not do when its text is edited.
    db.exec(`PRAGMA schema_version = ${pragma(db, "schema_version") + 1}`);
    db.exec("COMMIT");
  } catch (cause) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw cause;
  } finally {
    setDefensive(db, true);
  }
};
