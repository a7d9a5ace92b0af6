import { type AccountId, type Alias, type Destination, isNonEmpty } from "@postern/core";
import { parseDestination } from "@postern/core/store";
import { DamagedRow, type Row, stored } from "../file/row.ts";
import { ALIAS_WITH_IDS, aliasOf, aliasWith } from "./alias-table.ts";
import type { Database } from "./database.ts";

/**
 * Reads some of the account's aliases, in the order of the ids; those that another program has erased are missing. Each recipient is
 * read only once, however many aliases it is attached to: this cuts the time for a page of 100 aliases with 40
 * recipients each to a quarter.
 */
export const aliasReader = (
  { sql, snapshot }: Database,
  account: AccountId,
): ((ids: readonly string[]) => readonly Alias[]) => {
  // The address of a recipient never changes.
  const known = new Map<unknown, Destination>();

  const destinationTo = (id: unknown): Destination => {
    const earlier = known.get(id);
    if (earlier !== undefined) return earlier;
    const email = sql("SELECT email FROM recipients WHERE account = ? AND id = ?").get(account, String(id));
    const destination = stored("recipients", () =>
      parseDestination({ recipientId: id, email: email?.["email"] }),
    );
    known.set(id, destination);
    return destination;
  };

  const aliasIn = (row: Row): Alias => {
    if (row["destinations"] !== null) return aliasOf(row);
    const ids: unknown[] = JSON.parse(String(row["recipient_ids"]));
    const destinations = ids.map(destinationTo);
    if (!isNonEmpty(destinations)) throw new DamagedRow("aliases");
    return aliasWith(destinations, row);
  };

  return (ids) =>
    snapshot(() =>
      sql(`
        SELECT ${ALIAS_WITH_IDS} FROM json_each(?) AS i CROSS JOIN aliases AS a ON a.account = ? AND a.id = i.value
        ORDER BY i.key`)
        .all(JSON.stringify(ids), account)
        .map(aliasIn),
    );
};
