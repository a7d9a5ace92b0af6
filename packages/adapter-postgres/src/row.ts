import type { InvalidRequest, Result } from "@postern/core";

export type Row = Readonly<Record<string, unknown>>;

type Table =
  | "aliases"
  | "recipients"
  | "contacts"
  | "blocked_senders"
  | "logged_messages"
  | "resends"
  | "account_usage"
  | "addresses"
  | "mail_ledger"
  | "suspensions";

/** A row does not parse: it is damaged, or another program wrote it. The message is free of its content. */
export class DamagedRow extends Error {
  constructor(table: Table) {
    super(`a row of ${table} does not parse`);
  }
}

/** What `parse` makes of data from the table. Throws a `DamagedRow` if it is invalid. */
export const stored = <T>(
  table: Table,
  parse: (data: unknown) => Result<T, InvalidRequest>,
  data: unknown,
): T =>
  parse(data).match(
    (value) => value,
    () => {
      throw new DamagedRow(table);
    },
  );
