import { type Cause, err, ok, type Result } from "@postern/core";
import { Client } from "pg";
import { causeOf, sqlStateOf } from "./cause.ts";
import { clientConfig } from "./client-config.ts";
import { migrations, schemaVersion } from "./migrations.ts";
import { missing, newerVersion, type OpenError, openFailed } from "./open-error.ts";
import type { PostgresUrl } from "./postgres-url.ts";

/** Where a database is, as for `postgresStore`. */
export type PostgresLocation = { readonly url: PostgresUrl; readonly caFile?: string | undefined };

/** What a database with Postern's tables is. */
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
  /** Settings with which a crash of the machine loses what was acknowledged, or damages the database: `fsync=off`. */
  readonly unsafe: readonly string[];
};

const CONNECT_TIMEOUT_MS = 4_000;

/** Connects for `work`. Throws what `pg` throws. */
const withClient = async <T>(
  { url, caFile }: PostgresLocation,
  timeoutMs: number,
  work: (client: Client) => Promise<T>,
): Promise<T> => {
  const client = new Client({
    ...clientConfig(url, caFile),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: timeoutMs + 1_000,
  });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query(`SET statement_timeout = ${timeoutMs}`);
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
 * Reads what a database is, without changing it. Unlike `postgresStore`, accepts tables of an older version.
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
    return await withClient(location, CONNECT_TIMEOUT_MS, async (client) => {
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

/** What must not be found, by what it would mean. */
const FLAWS = {
  "a recipient has another number of aliases than it counts": `
    SELECT FROM recipients AS r WHERE attached <> (
      SELECT count(*) FROM attachments AS t WHERE t.account = r.account AND t.recipient_id = r.id)`,
  "a live alias is not attached to all of its recipients, or a deleted one is": `
    SELECT FROM aliases AS a WHERE CASE WHEN deleted_at IS NULL THEN jsonb_array_length(destinations) ELSE 0 END <> (
      SELECT count(*) FROM attachments AS t JOIN jsonb_array_elements(a.destinations) AS d ON t.recipient_id = d ->> 'recipientId'
      WHERE t.account = a.account AND t.alias_id = a.id)`,
  "an alias does not have its address": `
    SELECT FROM aliases AS a WHERE NOT EXISTS (
      SELECT FROM addresses AS d WHERE d.key = lower(a.email) AND d.account = a.account AND d.alias_id = a.id)`,
  "the usage of an account is not what it has": `
    SELECT FROM account_usage AS u WHERE (aliases, recipients, unverified_recipients) <> (
      (SELECT count(*) FROM aliases AS a WHERE a.account = u.account),
      (SELECT count(*) FROM recipients AS r WHERE r.account = u.account),
      (SELECT count(*) FROM recipients AS r WHERE r.account = u.account AND r.verified_at IS NULL))`,
} as const;

/** A rule of the tables is broken, or why that could not be found out. */
export type NotVerified =
  | { readonly code: "damaged"; readonly flaw: string }
  | { readonly code: "not_checked"; readonly cause: Cause };

/**
 * Looks for rows that contradict each other, which constraints and triggers prevent. Reads all tables, for at most
 * `timeoutMs` milliseconds.
 *
 * @returns `intact`; `unfinished` if the time was too short; or what is wrong
 */
export const verifyPostgres = async (
  location: PostgresLocation,
  timeoutMs: number,
): Promise<Result<"intact" | "unfinished", NotVerified>> => {
  try {
    return await withClient(location, timeoutMs, async (client) => {
      const flaws = Object.entries(FLAWS).map(
        ([flaw, found]) => `SELECT '${flaw}' AS flaw WHERE EXISTS (${found})`,
      );
      const { rows } = await client.query<{ readonly flaw: string }>(`${flaws.join(" UNION ALL ")} LIMIT 1`);
      const [first] = rows;
      return first === undefined ? ok("intact") : err({ code: "damaged", flaw: first.flaw });
    });
  } catch (cause) {
    if (sqlStateOf(cause) === "57014") return ok("unfinished");
    return err({ code: "not_checked", cause: causeOf(cause) });
  }
};
