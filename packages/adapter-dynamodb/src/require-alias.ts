import type { AliasKey } from "@postern/core/store";
import type { Write } from "./database.ts";
import { Key, SCHEMA } from "./table.ts";

const onAlias = (
  table: string,
  { account, id }: AliasKey,
  condition: string,
  values: Readonly<Record<string, unknown>>,
): Write => ({
  Update: {
    TableName: table,
    Key: { ...Key.alias(account, id) },
    UpdateExpression: "SET #schema = :schema",
    ConditionExpression: condition,
    ExpressionAttributeNames: { "#schema": "schema" },
    ExpressionAttributeValues: { ":schema": SCHEMA, ...values },
  },
});

/**
 * Makes a transaction depend on the alias: refused if it does not exist or, if a version is given, has a different one. This
 * is an update that changes nothing: a condition check costs the same, but servers would need one more permission for it.
 */
export const requireAlias = (table: string, alias: AliasKey, version?: number): Write =>
  version === undefined
    ? onAlias(table, alias, "#schema = :schema", {})
    : onAlias(table, alias, "#schema = :schema AND version = :version", { ":version": version });

/** Likewise, and refused if the alias is deleted. */
export const requireLiveAlias = (table: string, alias: AliasKey): Write =>
  onAlias(table, alias, "#schema = :schema AND attribute_type(deletedAt, :null)", { ":null": "NULL" });
