import { readdirSync, readFileSync } from "node:fs";
import type { ClientBase } from "pg";

/** Migrates a schema from version `version` - 1 to `version`. */
export type Migration = { readonly version: number; readonly sql: string };

/** The `.sql` files are published in `src` only: this path leads there from both `src` and `dist`. */
const DIRECTORY = new URL("../src/migrations/", import.meta.url);

/** All migrations, oldest first: `0001-….sql` migrates an empty schema to version 1, and so on without a gap. */
export const migrations: readonly Migration[] = readdirSync(DIRECTORY)
  .filter((name) => name.endsWith(".sql"))
  .sort()
  .map((name) => ({
    version: Number.parseInt(name, 10),
    sql: readFileSync(new URL(name, DIRECTORY), "utf8"),
  }));

/** Identifies the lock under which migrations run: "Postern" in ASCII. */
const LOCK = 0x50_6f_73_74_65_72_6en;

/** How long a migration waits for another process that migrates, in milliseconds. */
const WAIT_MS = 60_000;

const appliedVersion = async (client: ClientBase): Promise<number> => {
  const { rows } = await client.query<{ readonly version: number }>(
    "SELECT coalesce(max(version), 0) AS version FROM postern_migrations",
  );
  return rows[0]?.version ?? 0;
};

/** The version of the schema that the search path leads to; 0 if it has no Postern tables. */
export const schemaVersion = async (client: ClientBase): Promise<number> => {
  const { rows } = await client.query<{ readonly found: boolean }>(
    "SELECT to_regclass('postern_migrations') IS NOT NULL AS found",
  );
  return rows[0]?.found === true ? appliedVersion(client) : 0;
};

/**
 * Applies the `steps` that the schema lacks, each in a transaction of its own, under a lock: of several processes, one
 * migrates and the others wait. If a step fails, it is not applied, and neither are those after it. A schema newer than all
 * steps is left alone.
 */
export const migrate = async (client: ClientBase, steps: readonly Migration[]): Promise<void> => {
  for (const { version, sql } of steps) {
    await client.query("BEGIN");
    try {
      await client.query(`SET LOCAL statement_timeout = ${WAIT_MS}`);
      await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
      // Building an index or changing a table can take long.
      await client.query("SET LOCAL statement_timeout = 0");
      // Not after asking whether it exists: PostgreSQL would remember that it did not before the lock was granted.
      await client.query(
        "CREATE TABLE IF NOT EXISTS postern_migrations (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())",
      );
      if ((await appliedVersion(client)) < version) {
        await client.query(sql);
        await client.query("INSERT INTO postern_migrations (version) VALUES ($1)", [version]);
      }
      await client.query("COMMIT");
    } catch (cause) {
      await client.query("ROLLBACK").catch(() => {});
      throw cause;
    }
  }
};
