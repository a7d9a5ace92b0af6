import type { Result, Unavailable } from "@postern/core";
import type { AliasKey } from "./address-item.ts";
import { TALLIES_APART } from "./alias-item.ts";
import { type Database, transact } from "./database.ts";
import type { Refused } from "./send-until-deadline.ts";
import { Key, TALLY_ITEMS } from "./table.ts";
import { putTallies } from "./tally-item.ts";

/**
 * Gives tally items to an alias that predates them. Earlier counts stay in the item of the alias, where older servers still
 * count. Refused if there is no such alias, or if it already has tally items.
 */
export const addTallyItems = (
  database: Database,
  { account, id }: AliasKey,
  signal: AbortSignal,
): Promise<Result<void, Refused | Unavailable>> =>
  transact(
    database,
    [
      {
        Update: {
          TableName: database.table,
          Key: { ...Key.alias(account, id) },
          UpdateExpression: "SET #apart = :count",
          ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(#apart)",
          ExpressionAttributeNames: { "#apart": TALLIES_APART },
          ExpressionAttributeValues: { ":count": TALLY_ITEMS },
        },
      },
      ...putTallies(database.table, { account, id }),
    ],
    signal,
  );
