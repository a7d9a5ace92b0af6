import { err, ok, type Result } from "@postern/core";
import { Client } from "pg";
import { clientConfig } from "./client-config.ts";
import { migrations, schemaVersion } from "./migrations.ts";
import { missing, newerVersion, type OpenError, openFailed } from "./open-error.ts";
import type { PostgresUrl } from "./postgres-url.ts";

/** Where a database is, as for `postgresStore`. */
export type PostgresLocation = { readonly url: PostgresUrl; readonly caFile?: string | undefined };

/** The properties of a database with Postern's tables. */
export type PostgresDatabase = {
  /** The schema version of the tables, and the latest one known here. */
  readonly version: number;
  readonly supported: number;
  /** PostgreSQL's own version, such as `18.4`. */
  readonly serverVersion: string;
  /** The size of the whole database in bytes. */
  readonly bytes: number;
  /** Whether this connection is encrypted. */
  readonly encrypted: boolean;
  /** Settings with which a crash of the machine loses acknowledged changes or damages the database: `fsync=off`. */
  readonly unsafe: readonly string[];
};

const TIMEOUT_MS = 4_000;

/** Connects for `work`. Throws what `pg` throws. */
const withClient = async <T>(
  { url, caFile }: PostgresLocation,
  work: (client: Client) => Promise<T>,
): Promise<T> => {
  const client = new Client({
    ...clientConfig(url, caFile),
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS + 1_000,
  });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query(`SET statement_timeout = ${TIMEOUT_MS}`);
    return await work(client);
  } finally {
    await client.end();
  }
};

type About = {
  readonly serverVersion: string;
  readonly bytes: string;
  readonly encrypted: boolean;
  readonly unsafe: readonly string[];
};

const ABOUT = `SELECT
  split_part(current_setting('server_version'), ' ', 1) AS "serverVersion",
  pg_database_size(current_database()) AS bytes,
  coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS encrypted,
  ARRAY(
    SELECT name || '=' || setting FROM pg_settings
    WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name
  ) AS unsafe`;

/**
 * Inspects a database without changing it. Unlike `postgresStore`, accepts tables of an older version.
 *
 * @example
 * ```ts
 * const database = await inspectPostgres({ url });
 * console.log(database.isOk() ? `PostgreSQL ${database.value.serverVersion}` : database.error.message);
 * ```
 */
export const inspectPostgres = async (
  location: PostgresLocation,
): Promise<Result<PostgresDatabase, OpenError>> => {
  const { url } = location;
  try {
    return await withClient(location, async (client) => {
      const [version, supported] = [await schemaVersion(client), migrations.length];
      if (version === 0) return err(missing(url));
      if (version > supported) return err(newerVersion(url, version, supported));
      const { rows } = await client.query<About>(ABOUT);
      const [about] = rows;
      if (about === undefined) throw new Error("PostgreSQL returned nothing");
      return ok({ ...about, bytes: Number(about.bytes), version, supported });
    });
  } catch (cause) {
    return err(openFailed(url, cause));
  }
};
