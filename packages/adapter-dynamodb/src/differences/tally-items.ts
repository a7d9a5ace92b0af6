import type { AliasKey } from "../address-item.ts";
import { parseAliasItem, TALLIES_APART } from "../alias-item.ts";
import { putNew, type Write } from "../database.ts";
import { Key, SCHEMA, TALLY_ITEMS } from "../table.ts";
import { deleteTallies } from "../tally-item.ts";
import { exists, isAbsent, type Question } from "./question.ts";

/** Whether the alias has all its tally items, or none and does not claim any, or there is neither alias nor tally item. */
export const tallyItemsOf = (table: string, { account, id }: AliasKey): Question => {
  const [alias, tallies] = [Key.alias(account, id), Key.tallies(account, id)];
  return {
    account,
    alias: id,
    recipient: null,
    keys: [alias, ...tallies],
    judge: ([aliasItem, ...tallyItems]) => {
      const missing = tallies.filter((_, n) => tallyItems[n] === undefined);
      const present = TALLY_ITEMS - missing.length;
      const finding = (kind: string, right: string, writes: readonly Write[]) =>
        ({
          kind,
          stored: `${present} of ${TALLY_ITEMS} tally items`,
          right,
          remedy: { by: "repair", writes },
        }) as const;
      if (aliasItem === undefined) {
        return present === 0
          ? null
          : finding("leftover", "none without an alias", [
              isAbsent(table, alias),
              ...deleteTallies(table, { account, id }),
            ]);
      }
      const stored = parseAliasItem(aliasItem);
      if (stored.isErr() || present === (stored.value.hasTallyItems ? TALLY_ITEMS : 0)) return null;
      const claimed = stored.value.hasTallyItems
        ? exists(table, alias)
        : {
            Update: {
              TableName: table,
              Key: { ...alias },
              UpdateExpression: "SET #apart = :count",
              ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(#apart)",
              ExpressionAttributeNames: { "#apart": TALLIES_APART },
              ExpressionAttributeValues: { ":count": TALLY_ITEMS },
            },
          };
      // What the missing ones have counted is lost.
      const empty = missing.map((key) => putNew(table, { ...key, schema: SCHEMA }));
      return finding("tallies", stored.value.hasTallyItems ? "all" : "all, and the alias says so", [
        claimed,
        ...empty,
      ]);
    },
  };
};
