import type { AliasKey } from "@postern/core/store";
import type { Write } from "./database.ts";
import type { NewlyNamed } from "./newly-named.ts";
import { Key, SCHEMA } from "./table.ts";

const LIVE = "#schema = :schema AND attribute_type(deletedAt, :null)";

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

/** Likewise, and refused if the alias is deleted. */
export const requireLiveAlias = (table: string, { account, id }: AliasKey): Write => ({
  Update: {
    TableName: table,
    Key: { ...Key.alias(account, id) },
    UpdateExpression: "SET #schema = :schema",
    ConditionExpression: LIVE,
    ExpressionAttributeNames: { "#schema": "schema" },
    ExpressionAttributeValues: { ":schema": SCHEMA, ":null": "NULL" },
  },
});

/** Likewise, and counts newly named contacts; refused if the count is no longer what it was `before`. */
export const countNewlyNamed = (
  table: string,
  { account, id }: AliasKey,
  before: NewlyNamed | null,
  after: NewlyNamed,
): Write => ({
  Update: {
    TableName: table,
    Key: { ...Key.alias(account, id) },
    UpdateExpression: "SET named = :named, namedSince = :since",
    ConditionExpression: `${LIVE} AND ${before === null ? "attribute_not_exists(named)" : "named = :namedBefore AND namedSince = :sinceBefore"}`,
    ExpressionAttributeNames: { "#schema": "schema" },
    ExpressionAttributeValues: {
      ":schema": SCHEMA,
      ":null": "NULL",
      ":named": after.count,
      ":since": after.since,
      ...(before !== null && { ":namedBefore": before.count, ":sinceBefore": before.since }),
    },
  },
});
