import { type Alias, EmailAddress } from "@postern/core";
import { type AliasKey, newAddressItem, parseAddressItem, retiredAddressItem } from "../address-item.ts";
import { parseAliasItem } from "../alias-item.ts";
import { putNew, type Write } from "../database.ts";
import type { StoredItem } from "../item.ts";
import { Key } from "../table.ts";
import { exists, isAbsent, parsedOrNull, type Question } from "./question.ts";

/** The alias of an item; null if there is none. */
const aliasOf = (item: StoredItem | undefined): Alias | null =>
  parsedOrNull(parseAliasItem, item)?.alias ?? null;

const samePlace = (a: AliasKey, b: AliasKey): boolean => a.account === b.account && a.id === b.id;

/** Writes the address item, if it still leads to `place`. */
const replaceAddress = (table: string, item: object, { account, id }: AliasKey): Write => ({
  Put: {
    TableName: table,
    Item: { ...item },
    ConditionExpression: "account = :account AND id = :id",
    ExpressionAttributeValues: { ":account": account, ":id": id },
  },
});

/** Whether the address of the alias leads to it. `found` is the address item as it was read before. */
export const addressOfAlias = (table: string, alias: Alias, found: StoredItem | undefined): Question => {
  const [own, address] = [Key.alias(alias.account, alias.id), Key.address(alias.email)];
  const place = parsedOrNull(parseAddressItem, found);
  const other = place === null || samePlace(place, alias) ? null : place;
  return {
    account: alias.account,
    alias: alias.id,
    recipient: null,
    keys: [own, address, ...(other === null ? [] : [Key.alias(other.account, other.id)])],
    judge: ([ownItem, addressItem, otherItem]) => {
      if (ownItem === undefined) return null;
      const right = "leads to the alias";
      const repaired = (stored: string, writes: readonly Write[]) => ({
        kind: "address",
        stored,
        right,
        remedy: { by: "repair", writes: [exists(table, own), ...writes] } as const,
      });
      if (addressItem === undefined) return repaired("missing", [putNew(table, newAddressItem(alias))]);
      const now = parseAddressItem(addressItem);
      if (now.isErr()) return null;
      if (now.value === null) {
        const { pk, sk } = Key.retired(alias.email);
        return {
          ...repaired("", [
            {
              Put: {
                TableName: table,
                Item: newAddressItem(alias),
                ConditionExpression: "retired = :true",
                ExpressionAttributeValues: { ":true": true },
              },
            },
            { Delete: { TableName: table, Key: { pk, sk } } },
          ]),
          kind: "retired",
          stored: "the alias exists, and its address is retired",
          right: "not retired until the alias is erased",
        };
      }
      if (other === null || !samePlace(now.value, other)) return null;
      const has = aliasOf(otherItem);
      if (otherItem !== undefined && has === null) return null;
      if (has !== null && EmailAddress.key(has.email) === EmailAddress.key(alias.email)) {
        return {
          kind: "address",
          stored: `leads to alias ${other.id} of account ${other.account}, which has the same address`,
          right,
          remedy: {
            by: "operator",
            action: "if the other alias is erased, a repair gives the address to this one",
            detach: null,
          },
        };
      }
      // An alias never changes its address, so one that exists needs no condition.
      const gone = otherItem === undefined ? [isAbsent(table, Key.alias(other.account, other.id))] : [];
      return repaired("leads to an alias that does not have it", [
        replaceAddress(table, newAddressItem(alias), other),
        ...gone,
      ]);
    },
  };
};

/**
 * Whether the alias to which an address leads exists and has that address. If not, the address is retired: nobody else may
 * get what may be the address of an erased alias. The item has only a hash of the address, so an address that is not already
 * in the list of retired addresses cannot be added to it.
 */
export const aliasOfAddress = (table: string, address: Key, place: AliasKey): Question => {
  const [alias, listed] = [Key.alias(place.account, place.id), Key.retiredOfAddress(address)];
  return {
    account: place.account,
    alias: place.id,
    recipient: null,
    keys: [address, alias, listed],
    judge: ([addressItem, aliasItem, listedItem]) => {
      const now = parsedOrNull(parseAddressItem, addressItem);
      if (now === null || !samePlace(now, place)) return null;
      const has = aliasOf(aliasItem);
      if (aliasItem !== undefined && has === null) return null;
      if (has !== null && Key.same(Key.address(has.email), address)) return null;
      const tombstone = {
        ...retiredAddressItem(address),
        ...(listedItem === undefined && { unlisted: true }),
      };
      return {
        kind: "address",
        stored:
          has === null
            ? "an address leads to the alias, which does not exist"
            : "leads to it from another address",
        right: "retired",
        remedy: {
          by: "repair",
          writes: [
            replaceAddress(table, tombstone, place),
            ...(has === null ? [isAbsent(table, alias)] : []),
            listedItem === undefined ? isAbsent(table, listed) : exists(table, listed),
          ],
        },
      };
    },
  };
};
