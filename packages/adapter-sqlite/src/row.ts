import type { SQLOutputValue } from "node:sqlite";
import type { InvalidRequest, Result } from "@postern/core";

export type Row = Readonly<Record<string, SQLOutputValue>>;

type Table =
  | "aliases"
  | "recipients"
  | "some table"
  | "contacts"
  | "blocked_senders"
  | "logged_messages"
  | "resends"
  | "webhooks"
  | "announcements"
  | "webhook_turns"
  | "retired_addresses"
  | "mail_ledger"
  | "messages"
  | "copies"
  | "outcomes"
  | "log";

/** A row does not parse: the file is damaged, or another program wrote to it. The message is free of its content. */
export class DamagedRow extends Error {
  constructor(table: Table) {
    super(`a row of ${table} does not parse`);
  }
}

/** What `parse` makes of a row of the table. Throws a `DamagedRow` if it is invalid, or contains JSON that is not. */
export const stored = <T>(table: Table, parse: () => Result<T, InvalidRequest>): T => {
  try {
    const parsed = parse();
    if (parsed.isOk()) return parsed.value;
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
  }
  throw new DamagedRow(table);
};
