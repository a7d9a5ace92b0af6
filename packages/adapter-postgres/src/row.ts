import type { InvalidRequest, Result } from "@postern/core";

export type Row = Readonly<Record<string, unknown>>;

type Table =
  | "aliases"
  | "recipients"
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
  | "account_usage"
  | "addresses"
  | "mail_ledger"
  | "suspensions";

/** A row does not parse: it is damaged, or another program wrote it. The message contains none of its content. */
export class DamagedRow extends Error {
  constructor(table: Table) {
    super(`a row of ${table} does not parse`);
  }
}

/** The result of `parse` for data from the table. Throws a `DamagedRow` if the data is invalid. */
export const stored = <Data, T>(
  table: Table,
  parse: (data: Data) => Result<T, InvalidRequest>,
  data: Data,
): T =>
  parse(data).match(
    (value) => value,
    () => {
      throw new DamagedRow(table);
    },
  );

/** The number in a `bigint` column of the table. Throws a `DamagedRow` if it is below 0 or not exact. */
export const numberIn = (table: Table, column: unknown): number => {
  // `pg` returns a bigint as text.
  const number = Number(column);
  if (!Number.isSafeInteger(number) || number < 0) throw new DamagedRow(table);
  return number;
};

/** The result of `parse` for the data; null if it throws a `DamagedRow`. */
export const readable = <Data, T>(parse: (data: Data) => T, data: Data): T | null => {
  try {
    return parse(data);
  } catch (thrown) {
    if (thrown instanceof DamagedRow) return null;
    throw thrown;
  }
};
