import type { LoggedMessage } from "@postern/core";
import { parseLoggedMessage } from "@postern/core/store";
import { type Row, stored } from "../file/row.ts";

/** The fields with columns of their own, by which messages are found, ordered and compared. */
type Column = "account" | "alias" | "at" | "id" | "revision";

/** The column `details`. */
export const detailsOf = (message: LoggedMessage): string => {
  const { direction, contact, size, subject, blocked, unsubscribesFrom, copies, keptBody, count } = message;
  const details = { direction, contact, size, subject, blocked, unsubscribesFrom, copies, keptBody, count };
  return JSON.stringify(details satisfies Omit<LoggedMessage, Column>);
};

/** `row` has all columns of `logged_messages`. */
export const loggedMessageOf = (row: Row): LoggedMessage =>
  stored("logged_messages", () =>
    parseLoggedMessage({
      ...JSON.parse(String(row["details"])),
      account: row["account"],
      alias: row["alias_id"],
      at: row["at"],
      id: row["id"],
      revision: row["revision"],
    }),
  );
