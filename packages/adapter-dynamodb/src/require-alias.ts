import type { AliasPlace } from "@postern/core";
import type { Write } from "./database.ts";
import { Key, SCHEMA } from "./table.ts";

/**
 * Makes a transaction depend on the alias: refused if it does not exist or, if a version is given, has another one. It is an
 * update that changes nothing, because servers would need one more permission for a condition check, which costs the same.
 */
export const requireAlias = (table: string, { account, id }: AliasPlace, version?: number): Write => ({
  Update: {
    TableName: table,
    Key: { ...Key.alias(account, id) },
    UpdateExpression: "SET #schema = :schema",
    ConditionExpression: `#schema = :schema${version === undefined ? "" : " AND version = :version"}`,
    ExpressionAttributeNames: { "#schema": "schema" },
    ExpressionAttributeValues: {
      ":schema": SCHEMA,
      ...(version === undefined ? {} : { ":version": version }),
    },
  },
});
