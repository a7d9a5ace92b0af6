import { parseAddressItem, retiredAddressItem } from "../address-item.ts";
import { putNew } from "../database.ts";
import type { StoredItem } from "../item.ts";
import { Key } from "../table.ts";
import { exists, isAbsent, parsedOrNull, type Question } from "./question.ts";

/**
 * Whether a retired address is taken, and no alias has it. `listed` is its key in the list of retired addresses, `found` its
 * address item as it was read before.
 */
export const addressOfRetired = (table: string, listed: Key, found: StoredItem | undefined): Question => {
  const address = Key.addressOfRetired(listed);
  const place = parsedOrNull(parseAddressItem, found);
  return {
    account: place?.account ?? null,
    alias: place?.id ?? null,
    recipient: null,
    keys: [listed, address, ...(place === null ? [] : [Key.alias(place.account, place.id)])],
    judge: ([listedItem, addressItem, aliasItem]) => {
      if (listedItem === undefined) return null;
      if (addressItem !== undefined) {
        // If the alias does not exist, the address item is wrong, which is reported separately.
        if (place === null || aliasItem === undefined) return null;
        const now = parsedOrNull(parseAddressItem, addressItem);
        if (now === null || now.account !== place.account || now.id !== place.id) return null;
        const { account, id } = place;
        return {
          kind: "retired",
          stored: "an alias exists, and its address is listed as retired",
          right: "not listed until the alias is erased",
          remedy: {
            by: "repair",
            writes: [
              exists(table, Key.alias(account, id)),
              {
                ConditionCheck: {
                  TableName: table,
                  Key: { ...address },
                  ConditionExpression: "account = :account AND id = :id",
                  ExpressionAttributeValues: { ":account": account, ":id": id },
                },
              },
              { Delete: { TableName: table, Key: { ...listed } } },
            ],
          },
        };
      }
      return {
        kind: "retired",
        stored: "a retired address is not taken",
        right: "taken",
        remedy: {
          by: "repair",
          writes: [exists(table, listed), putNew(table, retiredAddressItem(address))],
        },
      };
    },
  };
};

/**
 * Whether a retired address is in the list of retired addresses. The item has only a hash of the address, so one that is
 * missing there cannot be listed again: it is marked as unlisted.
 */
export const listingOfRetired = (table: string, address: Key): Question => {
  const listed = Key.retiredOfAddress(address);
  return {
    account: null,
    alias: null,
    recipient: null,
    keys: [address, listed],
    judge: ([addressItem, listedItem]) => {
      if (addressItem?.["retired"] !== true || addressItem["unlisted"] === true || listedItem !== undefined)
        return null;
      return {
        kind: "retired",
        stored: "a retired address is not listed, and only its hash is known",
        right: "marked as not listed",
        remedy: {
          by: "repair",
          writes: [
            isAbsent(table, listed),
            {
              Update: {
                TableName: table,
                Key: { ...address },
                UpdateExpression: "SET unlisted = :true",
                ConditionExpression: "retired = :true",
                ExpressionAttributeValues: { ":true": true },
              },
            },
          ],
        },
      };
    },
  };
};
