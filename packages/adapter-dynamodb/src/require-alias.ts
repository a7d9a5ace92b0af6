import type { AliasKey } from "@postern/core/store";
import type { Write } from "./database.ts";
import { Key, SCHEMA } from "./table.ts";

/**
 * Makes a transaction depend on the alias: refused if it does not exist or, if a version is given, has a different one. This
 * is an update that changes nothing: a condition check costs the same, but servers would need one more permission for it.
 */
export const requireAlias = (table: string, { account, id }: AliasKey, version?: number): Write => ({
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
