import type { SQLOutputValue } from "node:sqlite";
import type { InvalidRequest, Result } from "@postern/core";
import { CausedError } from "./cause.ts";

export type Row = Readonly<Record<string, SQLOutputValue>>;

type Table =
  | "aliases"
  | "recipients"
  | "some table"
  | "contacts"
  | "blocked_senders"
  | "logged_messages"
  | "resends"
  | "handed_reports"
  | "webhooks"
  | "api_keys"
  | "creations"
  | "announcements"
  | "webhook_turns"
  | "retired_addresses"
  | "mail_ledger"
  | "messages"
  | "copies"
  | "outcomes"
  | "log";

/** A row does not parse: the file is damaged, or another program wrote to it. The message contains none of its content. */
export class DamagedRow extends CausedError {
  constructor(table: Table) {
    super({ source: "sqlite", reason: `a row of ${table} does not parse` });
  }
}

/** The result of `parse` for a row of the table. Throws a `DamagedRow` if the row is invalid, or contains invalid JSON. */
export const stored = <T>(table: Table, parse: () => Result<T, InvalidRequest>): T => {
  try {
    const parsed = parse();
    if (parsed.isOk()) return parsed.value;
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
  }
  throw new DamagedRow(table);
};

/** The number in an integer column of the table. Throws a `DamagedRow` if it is below 0 or not exact. */
export const numberIn = (table: Table, column: unknown): number => {
  const number = Number(column);
  if (!Number.isSafeInteger(number) || number < 0) throw new DamagedRow(table);
  return number;
};

/** The result of `parse` for a row, or for something read from one; null if `parse` throws a `DamagedRow`. */
export const readable = <From, T>(parse: (from: From) => T, from: From): T | null => {
  try {
    return parse(from);
  } catch (thrown) {
    if (thrown instanceof DamagedRow) return null;
    throw thrown;
  }
};

/** The results of `parse` for the first `most` rows for which it does not throw a `DamagedRow`. */
export const firstReadable = <T>(rows: Iterable<Row>, most: number, parse: (row: Row) => T): readonly T[] => {
  const found: T[] = [];
  for (const row of rows) {
    if (found.length >= most) break;
    const parsed = readable(parse, row);
    if (parsed !== null) found.push(parsed);
  }
  return found;
};
