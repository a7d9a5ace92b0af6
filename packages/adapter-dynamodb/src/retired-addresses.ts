import { EmailAddress, err, ok, parseEmailAddress } from "@postern/core";
import { type Aliases, pageOf } from "@postern/core/store";
import { parseAddressItem, retiredAddressItem } from "./address-item.ts";
import { type Database, query, readOne, transact, type Write } from "./database.ts";
import { decode, decodeAll, keyedItemParser } from "./item.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key, KeyRange, SCHEMA } from "./table.ts";

/** An entry in the list of retired addresses. Finding the tombstones themselves would mean scanning the whole table. */
const retiredItem = (email: EmailAddress) => ({
  ...Key.retired(email),
  schema: SCHEMA,
  email: EmailAddress.key(email),
});

export const parseRetiredItem = keyedItemParser(({ email }) => parseEmailAddress(email), Key.retired);

/** Retires the address, provided that `condition` holds for its address item. */
export const retire = (
  table: string,
  email: EmailAddress,
  condition: Pick<NonNullable<Write["Put"]>, "ConditionExpression" | "ExpressionAttributeValues">,
): readonly [Write, Write] => [
  { Put: { TableName: table, Item: retiredAddressItem(Key.address(email)), ...condition } },
  { Put: { TableName: table, Item: retiredItem(email) } },
];

export const retireAddress =
  (database: Database): Aliases["retireAddress"] =>
  async (email) => {
    const retired = await transact(
      database,
      retire(database.table, email, {
        ConditionExpression: "attribute_not_exists(pk) OR attribute_exists(retired)",
      }),
    );
    return retired.mapErr((error) => (error.code === "refused" ? { code: "address_taken" } : error));
  };

/** Reads the address itself: the list lacks addresses retired by a repair, for which only the hash is known. */
export const isRetired =
  (database: Database): Aliases["isRetired"] =>
  async (email, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const item = await readOne(database, Key.address(email), signal);
    if (item.isErr()) return err(item.error);
    return item.value === undefined
      ? ok(false)
      : decode(database, parseAddressItem, item.value).map((place) => place === null);
  };

/** In descending order of the addresses' SHA-256 hashes. */
export const listRetiredAddresses =
  (database: Database): Aliases["listRetiredAddresses"] =>
  async ({ limit, after }) => {
    // One item more than the page holds shows whether there is a next page. So few items always fit into one response
    // (1 MB).
    const request = { limit: limit + 1, start: after === null ? undefined : Key.retired(after) };
    const found = await query(database, KeyRange.retired, request, deadline(database.timeoutMs));
    if (found.isErr()) return err(found.error);
    const addresses = decodeAll(database, parseRetiredItem, found.value.items);
    if (addresses.isErr()) return err(addresses.error);
    return ok(pageOf(addresses.value, limit, (email) => email));
  };
