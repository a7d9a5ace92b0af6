import { readdirSync, readFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { NOT_A_DATABASE, resultCode } from "./sqlite-error.ts";
import { inTransaction } from "./transaction.ts";

/** Migrates a file from schema version `version` - 1 to `version`. */
type Migration = { readonly version: number; readonly sql: string };

/** What a file contains. */
export type Schema = {
  readonly kind: "store" | "spool";
  /** Marks a SQLite file as one of Postern's (`PRAGMA application_id`). */
  readonly applicationId: number;
  /** All migrations, oldest first. */
  readonly migrations: readonly Migration[];
  /** Sets what SQLite does not store in the file, such as functions that migrations and triggers call. */
  prepare(db: DatabaseSync): void;
};

/** The migrations in a directory, oldest first: `0001-….sql` migrates an empty file to version 1, and so on without a gap. */
export const readMigrations = (directory: URL): readonly Migration[] =>
  readdirSync(directory)
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name) => ({
      version: Number.parseInt(name, 10),
      sql: readFileSync(new URL(name, directory), "utf8"),
    }));

const pragma = (db: DatabaseSync, name: "application_id" | "user_version" | "schema_version"): number =>
  Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);

/** The version of the schema in the file; 0 if it is empty, null if it contains anything else. Changes nothing. */
export const schemaVersion = (
  db: DatabaseSync,
  { applicationId }: Pick<Schema, "applicationId">,
): number | null => {
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

/** Applies the migrations that a prepared file lacks, in one transaction: if one throws, none is applied. */
export const migrate = (db: DatabaseSync, schema: Schema): void => {
  const current = schemaVersion(db, schema);
  const pending = schema.migrations.filter(({ version }) => current !== null && version > current);
  if (pending.length === 0) return;
  setDefensive(db, false);
  try {
    inTransaction(db, () => {
      for (const { version, sql } of pending) {
        db.exec(sql);
        db.exec(`PRAGMA user_version = ${version}`);
      }
      db.exec(`PRAGMA application_id = ${schema.applicationId}`);
      // Makes programs that have the file open read the schema again, which SQLite does not do when its text is edited.
      db.exec(`PRAGMA schema_version = ${pragma(db, "schema_version") + 1}`);
    });
  } finally {
    setDefensive(db, true);
  }
};
