import type { Database } from "../store/database.ts";
import { withoutTriggers } from "./without-triggers.ts";

/**
 * Makes these recipients, in this order, the rows of the alias, in the open transaction. This must not add or remove
 * any row that counts in `attached`.
 *
 * @param also what else changes the rows
 */
export const replaceRows = (
  database: Database,
  { account, alias }: { readonly account: string; readonly alias: string },
  recipients: readonly string[],
  also = () => {},
): void => {
  const { sql } = database;
  withoutTriggers(database, ["destination_attaches", "destination_detaches"], () => {
    also();
    sql("DELETE FROM destinations WHERE account = ? AND alias_id = ?").run(account, alias);
    for (const [position, recipient] of recipients.entries())
      sql("INSERT INTO destinations VALUES (?, ?, ?, ?)").run(account, alias, position, recipient);
  });
};
