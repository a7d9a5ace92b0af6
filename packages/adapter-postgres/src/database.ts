import { type Cause, err, ok, type PortResult, type Result } from "@postern/core";
import type { ClientBase, Pool, PoolClient } from "pg";
import {
  CLOSED,
  causeOf,
  NO_CONNECTION,
  NO_RESPONSE,
  NO_TIME_LEFT,
  sqlStateOf,
  unavailable,
} from "./cause.ts";
import type { Row } from "./row.ts";
import type { Query } from "./statement.ts";

/** How many milliseconds the caller will wait; undefined if the store alone decides. */
type TimeLeft = number | undefined;

/** Why PostgreSQL refused a statement. None of it was applied. */
export type Refusal =
  /** A constraint or unique index with this name was violated. */
  | { readonly violated: string }
  /** A concurrent transaction was in the way: a deadlock, or a serialization failure. */
  | { readonly violated: null };

/** Runs one statement of a transaction. Rejects with what `pg` rejects with. */
export type Sql = (text: string, ...values: readonly unknown[]) => Promise<readonly Row[]>;

type Contended = { readonly code: "contended" };

export type Database = {
  /**
   * Runs one statement, which PostgreSQL applies completely or not at all. Ends within `timeLeft` milliseconds, and within
   * the store's own limit. The result is `unavailable` if the statement failed or `read` threw. If no response came, the
   * statement may or may not have been applied; it is never sent again.
   *
   * @param read makes the result from the rows
   * @param refused makes the error from a refusal; null for one that it does not expect, which is `unavailable`
   */
  run<T, E = never, R = never>(
    timeLeft: TimeLeft,
    query: Query,
    read: (rows: readonly Row[]) => Result<T, E>,
    refused?: (refusal: Refusal) => R | null,
  ): PortResult<T, E | R>;
  /**
   * Runs the statements of `work` in one transaction, for repairs, which make decisions between statements. Ends within the
   * store's own limit. `contended`, and nothing is applied, if a concurrent transaction was in the way.
   */
  transact<T>(work: (sql: Sql) => Promise<T>): PortResult<T, Contended>;
  /** Ends every connection. Later calls, and those that wait for a connection, are `unavailable`. */
  close(): Promise<void>;
};

/** serialization_failure and deadlock_detected. */
const CONTENDED: readonly string[] = ["40001", "40P01"];

/** lock_not_available, after the lock timeout that a transaction has set. */
const LOCKED = "55P03";

/** foreign_key_violation, unique_violation and check_violation. */
const VIOLATED: readonly string[] = ["23503", "23505", "23514"];

const refusalOf = (thrown: unknown): Refusal | null => {
  const state = sqlStateOf(thrown);
  if (state === null) return null;
  if (CONTENDED.includes(state)) return { violated: null };
  const named = thrown instanceof Error && "constraint" in thrown && typeof thrown.constraint === "string";
  return VIOLATED.includes(state) && named ? { violated: String(thrown.constraint) } : null;
};

/** Whether the connection can no longer be used. It can after an error that PostgreSQL reported, unless that is about the connection. */
const endsConnection = (thrown: unknown): boolean => /^(08|57P)|^$/.test(sqlStateOf(thrown) ?? "");

/** After this time, in milliseconds, the server notices that a client is gone, and cancels what the client was waiting for. */
const CHECK_INTERVAL_MS = 500;

/**
 * Prepares a new connection: the server stops a statement after `timeoutMs`, or if its client is gone. The store relies on
 * how READ COMMITTED treats rows that it had to wait for.
 */
export const prepareConnection = async (client: ClientBase, timeoutMs: number): Promise<void> => {
  await client.query(
    `SET statement_timeout = ${Math.ceil(timeoutMs)}; SET default_transaction_isolation = 'read committed'`,
  );
  try {
    await client.query(`SET client_connection_check_interval = ${CHECK_INTERVAL_MS}`);
  } catch (cause) {
    // Some systems cannot check; then only the timeout applies.
    if (sqlStateOf(cause) === null) throw cause;
  }
};

/** Runs `work` in a transaction, which is undone if `work` or the commit rejects. */
const transaction = async <T>(client: ClientBase, work: (sql: Sql) => Promise<T>): Promise<T> => {
  const sql: Sql = async (text, ...values) => (await client.query<Row>(text, [...values])).rows;
  try {
    await sql("BEGIN");
    const result = await work(sql);
    await sql("COMMIT");
    return result;
  } catch (cause) {
    await client.query("ROLLBACK").catch(() => {});
    throw cause;
  }
};

/** @param timeoutMs the time limit of every call, in milliseconds */
export const database = (pool: Pool, timeoutMs: number): Database => {
  // Otherwise Node would end the process when an idle connection, or one without a statement, is lost.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  let closed = false;

  /** Functions that end the calls that have no connection yet. */
  const waiting = new Set<() => void>();

  /**
   * The result of `work`, or why there is none within `ms` milliseconds: the call then stops waiting for a connection, or its
   * connection is cut. Rejects with what `work` rejects with, such as an error of `pg`.
   */
  const onConnection = <T>(ms: number, work: (client: PoolClient) => Promise<T>): Promise<Result<T, Cause>> =>
    new Promise((resolve, reject) => {
      let client: PoolClient | undefined;
      let over = false;
      const end = (cut: boolean) => {
        over = true;
        clearTimeout(timer);
        client?.release(cut);
      };
      const giveUp = () => {
        waiting.delete(giveUp);
        if (over) return;
        const withoutConnection = closed ? CLOSED : NO_CONNECTION;
        resolve(err(client === undefined ? withoutConnection : NO_RESPONSE));
        end(true);
      };
      const timer = setTimeout(giveUp, ms);
      waiting.add(giveUp);
      pool.connect((error, connected) => {
        waiting.delete(giveUp);
        if (over) return connected?.release();
        if (connected === undefined) {
          end(false);
          return reject(error);
        }
        client = connected;
        work(connected).then(
          (result) => {
            if (over) return;
            end(false);
            resolve(ok(result));
          },
          (cause) => {
            if (over) return;
            end(endsConnection(cause));
            reject(cause);
          },
        );
      });
    });

  return {
    run: async (timeLeft, query, read, refused) => {
      const ms = Math.min(timeoutMs, timeLeft ?? timeoutMs);
      if (!(ms > 0)) return err(unavailable(NO_TIME_LEFT));
      if (closed) return err(unavailable(CLOSED));
      try {
        const found = await onConnection(ms, (client) => client.query<Row>(query));
        return found.isErr() ? err(unavailable(found.error)) : read(found.value.rows);
      } catch (cause) {
        const refusal = refused === undefined ? null : refusalOf(cause);
        const error = refusal === null || refused === undefined ? null : refused(refusal);
        return err(error ?? unavailable(closed ? CLOSED : causeOf(cause)));
      }
    },
    transact: async (work) => {
      if (closed) return err(unavailable(CLOSED));
      try {
        const done = await onConnection(timeoutMs, (client) => transaction(client, work));
        return done.mapErr(unavailable);
      } catch (cause) {
        const state = sqlStateOf(cause) ?? "";
        if (state === LOCKED || CONTENDED.includes(state)) return err({ code: "contended" });
        return err(unavailable(closed ? CLOSED : causeOf(cause)));
      }
    },
    close: async () => {
      if (closed) return;
      closed = true;
      for (const giveUp of waiting) giveUp();
      await pool.end();
    },
  };
};
