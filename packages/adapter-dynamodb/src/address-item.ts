import {
  type Alias,
  type EmailAddress,
  err,
  ok,
  parseAccountId,
  parseAliasId,
  type Result,
  type Unavailable,
} from "@postern/core";
import { type Database, readOne } from "./database.ts";
import { decode, itemParser } from "./item.ts";
import { Key, SCHEMA } from "./table.ts";

/** Where an alias is stored. */
export type AliasKey = Pick<Alias, "account" | "id">;

/** Reserves the address of an alias and leads to the alias. */
export const newAddressItem = ({ account, id, email }: Alias) => ({
  ...Key.address(email),
  schema: SCHEMA,
  account,
  id,
});

/** The tombstone that reserves an address forever. It contains nothing about the alias that had the address. */
export const retiredAddressItem = ({ pk, sk }: Key) => ({
  pk,
  sk,
  schema: SCHEMA,
  retired: true,
});

/** Null if the address is retired. */
export const parseAddressItem = itemParser<AliasKey | null>((item) =>
  item["retired"] === true
    ? ok(null)
    : parseAccountId(item["account"]).andThen((account) =>
        parseAliasId(item["id"]).map((id) => ({ account, id })),
      ),
);

/** Where the alias with this address is stored; null if no alias has it. */
export const findPlace = async (
  database: Database,
  email: EmailAddress,
  signal: AbortSignal,
): Promise<Result<AliasKey | null, Unavailable>> => {
  const item = await readOne(database, Key.address(email), signal);
  if (item.isErr()) return err(item.error);
  return item.value === undefined ? ok(null) : decode(database, parseAddressItem, item.value);
};
