import type { Cause, Unavailable } from "@postern/core";
import { DamagedRow } from "./row.ts";

const because = (reason: string): Cause => ({ source: "postgres", reason });

export const unavailable = (cause: Cause): Unavailable => ({ code: "unavailable", cause });

export const CLOSED = because("the store is closed");

export const NO_TIME_LEFT = because("no time left");

export const NO_CONNECTION = because("no connection before the deadline");

export const CONTENDED = because("a conflict in each of several attempts");

export const NO_RESPONSE = because("no response before the deadline");

/** PostgreSQL's names of the conditions (its manual, appendix A) that an operator is likely to meet. */
const CONDITIONS: Readonly<Record<string, string>> = {
  "08006": "connection_failure",
  "08P01": "protocol_violation",
  "22021": "character_not_in_repertoire",
  "25006": "read_only_sql_transaction",
  "26000": "invalid_sql_statement_name",
  "28000": "invalid_authorization_specification",
  "28P01": "invalid_password",
  "3D000": "invalid_catalog_name",
  "40001": "serialization_failure",
  "40P01": "deadlock_detected",
  "42501": "insufficient_privilege",
  "42703": "undefined_column",
  "42883": "undefined_function",
  "42P01": "undefined_table",
  "53100": "disk_full",
  "53200": "out_of_memory",
  "53300": "too_many_connections",
  "55P03": "lock_not_available",
  "57014": "query_canceled",
  "57P01": "admin_shutdown",
  "57P02": "crash_shutdown",
  "57P03": "cannot_connect_now",
  "57P05": "idle_session_timeout",
  "58030": "io_error",
  XX001: "data_corrupted",
  XX002: "index_corrupted",
};

/** The messages of `pg` about a lost connection; it has no codes for these. */
const LOST: readonly string[] = [
  "Connection terminated",
  "Connection terminated unexpectedly",
  "Connection terminated due to connection timeout",
  "timeout exceeded when trying to connect",
  "Client has encountered a connection error and is not queryable",
  "Client was closed and is not queryable",
  "The server does not support SSL connections",
];

const codeOf = (thrown: unknown): string | null =>
  thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : null;

/** PostgreSQL's SQLSTATE; null if the error is not one that PostgreSQL reported. */
export const sqlStateOf = (thrown: unknown): string | null => {
  const code = codeOf(thrown);
  // Codes of the system, such as EPIPE, can look the same; PostgreSQL's errors have a severity.
  const reported = thrown instanceof Error && "severity" in thrown;
  return reported && code !== null && /^[0-9A-Z]{5}$/.test(code) ? code : null;
};

/**
 * Why a call failed: PostgreSQL's code with its name, or the operating system's code. Never one of PostgreSQL's messages,
 * which can quote an address; for any other error, which is a defect, only its class.
 */
export const causeOf = (thrown: unknown): Cause => {
  if (thrown instanceof DamagedRow) return because(thrown.message);
  const state = sqlStateOf(thrown);
  if (state !== null) return because([state, CONDITIONS[state]].filter(Boolean).join(" "));
  const code = codeOf(thrown);
  if (code !== null && /^[A-Z][A-Z0-9_]{1,63}$/.test(code)) return because(code);
  if (!(thrown instanceof Error)) return because(`a thrown ${typeof thrown}`);
  return because(LOST.includes(thrown.message) ? thrown.message : thrown.constructor.name);
};
