import { type Clock, err, ok, type PortResult, parseAccountId, type Result, type Store } from "@postern/core";
import { type CreateAll, type FindDifferences, pageOf } from "@postern/core/store";
import { Client, Pool } from "pg";
import { postgresAliases } from "./aliases.ts";
import { postgresApiKeys } from "./api-keys.ts";
import { postgresBlockedSenders } from "./blocked-senders.ts";
import { clientConfig } from "./client-config.ts";
import { postgresContacts } from "./contacts.ts";
import { createAll } from "./create-all.ts";
import { postgresCreations } from "./creations.ts";
import { database, prepareConnection } from "./database.ts";
import { findDifferences } from "./differences/find-differences.ts";
import { postgresHandedReports } from "./handed-reports.ts";
import { postgresMailLedger } from "./mail-ledger.ts";
import { postgresMessageLog } from "./message-log.ts";
import { migrate, migrations, schemaVersion } from "./migrations.ts";
import { missing, newerVersion, type OpenError, olderVersion, openFailed, unsuitable } from "./open-error.ts";
import { postgresOutbox } from "./outbox.ts";
import type { PostgresUrl } from "./postgres-url.ts";
import { postgresRecipients } from "./recipients.ts";
import { postgresResends } from "./resends.ts";
import { stored } from "./row.ts";
import { query, statement } from "./statement.ts";
import { postgresSuspensions } from "./suspensions.ts";
import { postgresWebhooks } from "./webhooks.ts";

export type PostgresStoreOptions = {
  /** From `parsePostgresUrl`. */
  readonly url: PostgresUrl;
  /** A file with the certificates of the authorities to trust, as PEM; by default those that Node trusts. */
  readonly caFile?: string | undefined;
  /** Determines how long mail events, logged messages and entries of the mail ledger are remembered. */
  readonly clock: Pick<Clock, "now">;
  /**
   * What to do with a database whose tables are missing or from an older version: `migrate` creates or changes them,
   * `must exist` changes older ones but refuses a database without any, `leave` refuses both. `migrate` by default.
   */
  readonly schema?: "migrate" | "must exist" | "leave" | undefined;
  /** The maximum number of connections; 10 by default. */
  readonly connections?: number | undefined;
  /** The time limit of every call except `ping`, in milliseconds; 2,000 by default. */
  readonly timeoutMs?: number | undefined;
};

export type PostgresStore = Store & {
  /** Whether the tables were missing, so that a new store was created. */
  readonly created: boolean;
  /**
   * Compares the data that the tables hold in two places, while any number of servers are running. Only the owner of the tables
   * can repair retired addresses and destinations.
   */
  readonly differences: FindDifferences;
  /** One statement, which takes about 0.1 ms for each thing that it creates. Others who change these accounts wait for it. */
  readonly createAll: CreateAll;
  /** How many records an export of the store has. Reads an index of each table, and takes longer with every row. */
  countRecords(): PortResult<number>;
  /** Ends every connection, once the calls in flight are done. Every later call returns `unavailable`. Idempotent. */
  close(): Promise<void>;
};

const DEFAULT_CONNECTIONS = 10;
const DEFAULT_TIMEOUT_MS = 2_000;
const PING_TIMEOUT_MS = 1_000;

/** How long opening waits for the server, in milliseconds. */
const OPENING_TIMEOUT_MS = 10_000;

/** Older versions are no longer maintained. */
const MIN_SERVER_VERSION = 140_000;

const ACCOUNTS = statement(
  "list_accounts",
  `(SELECT account FROM account_usage WHERE aliases + recipients > 0 AND account > $1 ORDER BY account LIMIT $2)
  UNION (SELECT DISTINCT account FROM blocked_senders WHERE account > $1 ORDER BY account LIMIT $2)
  UNION (SELECT DISTINCT account FROM webhooks WHERE account > $1 ORDER BY account LIMIT $2)
  UNION (SELECT DISTINCT account FROM api_keys WHERE account > $1 ORDER BY account LIMIT $2)
  UNION (SELECT account FROM suspensions WHERE account > $1 ORDER BY account LIMIT $2)
  ORDER BY account LIMIT $2`,
);

const RECORDS = statement(
  "count_records",
  `SELECT (SELECT coalesce(sum(aliases + recipients), 0) FROM account_usage) + (SELECT count(*) FROM contacts)
    + (SELECT count(*) FROM blocked_senders) + (SELECT count(*) FROM webhooks) + (SELECT count(*) FROM api_keys)
    + (SELECT count(*) FROM suspensions) + (SELECT count(*) FROM addresses WHERE account IS NULL) + (SELECT count(*) FROM mail_ledger) AS records`,
);

const PING = statement(
  "ping",
  "INSERT INTO probe DEFAULT VALUES ON CONFLICT (id) DO UPDATE SET id = excluded.id",
);

/** Makes sure that the database has the tables of this version. Returns whether they were created. */
const prepareSchema = async (
  client: Client,
  url: PostgresUrl,
  schema: NonNullable<PostgresStoreOptions["schema"]>,
): Promise<Result<boolean, OpenError>> => {
  const { rows } = await client.query<{ readonly version: number; readonly encoding: string }>(
    "SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding",
  );
  const [server] = rows;
  if (server !== undefined && server.version < MIN_SERVER_VERSION) {
    return err(unsuitable(url, "PostgreSQL 14 or later is needed"));
  }
  if (server?.encoding !== "UTF8")
    return err(unsuitable(url, "its encoding is not UTF8: create it with ENCODING 'UTF8'"));
  const supported = migrations.length;
  const found = await schemaVersion(client);
  if (found > supported) return err(newerVersion(url, found, supported));
  if (found === 0 && schema !== "migrate") return err(missing(url));
  if (found < supported && schema === "leave") return err(olderVersion(url, found, supported));
  // A user without the permission to change tables can use those that are up to date.
  if (found < supported) await migrate(client, migrations);
  const reached = await schemaVersion(client);
  // Another process, of a newer version, may have migrated in the meantime.
  return reached > supported ? err(newerVersion(url, reached, supported)) : ok(found === 0);
};

/**
 * Opens the store in a PostgreSQL database (version 14 or later), for any number of processes at once. The tables are in the
 * first schema of the search path.
 *
 * - Every change is one statement, which PostgreSQL applies completely or not at all. When a call returns ok, the change is
 *   committed, and as durable as `synchronous_commit` says.
 * - Every call ends within `timeoutMs`, a ping within a second, including the wait for a connection. Without a response by
 *   then, the result is `unavailable`, and the change may or may not have been applied. It is never sent again.
 * - Calls can fail while PostgreSQL is restarted; afterwards the store works again.
 *
 * @example
 * ```ts
 * const url = parsePostgresUrl("postgres://postern:secret@db.example.com/postern");
 * if (url.isErr()) throw new Error(`The URL ${url.error.message}`);
 * const opened = await postgresStore({ url: url.value, clock: systemClock });
 * if (opened.isErr()) throw new Error(opened.error.message);
 * const store = opened.value;
 * ```
 */
export const postgresStore = async ({
  url,
  caFile,
  clock,
  schema = "migrate",
  connections = DEFAULT_CONNECTIONS,
  timeoutMs = DEFAULT_TIMEOUT_MS,
}: PostgresStoreOptions): Promise<Result<PostgresStore, OpenError>> => {
  let created: boolean;
  let config: ReturnType<typeof clientConfig>;
  try {
    config = clientConfig(url, caFile);
    const client = new Client({ ...config, connectionTimeoutMillis: OPENING_TIMEOUT_MS });
    client.on("error", () => {});
    await client.connect();
    try {
      const prepared = await prepareSchema(client, url, schema);
      if (prepared.isErr()) return err(prepared.error);
      created = prepared.value;
    } finally {
      await client.end();
    }
  } catch (cause) {
    return err(openFailed(url, cause));
  }
  const pool = new Pool({
    ...config,
    max: connections,
    connectionTimeoutMillis: timeoutMs,
    onConnect: (client) => prepareConnection(client, timeoutMs),
  });
  const store = database(pool, timeoutMs);
  return ok({
    aliases: postgresAliases(store, clock),
    recipients: postgresRecipients(store),
    contacts: postgresContacts(store),
    blockedSenders: postgresBlockedSenders(store),
    messageLog: postgresMessageLog(store, clock),
    resends: postgresResends(store, clock),
    handedReports: postgresHandedReports(store, clock),
    webhooks: postgresWebhooks(store),
    apiKeys: postgresApiKeys(store),
    creations: postgresCreations(store),
    outbox: postgresOutbox(store),
    mailLedger: postgresMailLedger(store, clock),
    suspensions: postgresSuspensions(store),
    accounts: ({ limit, after }) =>
      store.run(undefined, query(ACCOUNTS, after ?? "", limit + 1), (rows) => {
        const found = rows.map(({ account }) => stored("account_usage", parseAccountId, account));
        return ok(pageOf(found, limit, (account) => account));
      }),
    ping: () => store.run(PING_TIMEOUT_MS, query(PING), () => ok()),
    countRecords: () => store.run(undefined, query(RECORDS), ([row]) => ok(Number(row?.["records"]))),
    differences: findDifferences({ database: store, clock }),
    createAll: createAll(store),
    created,
    close: () => store.close(),
  });
};
