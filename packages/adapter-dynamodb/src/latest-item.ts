import { err, ok, type PortResult } from "@postern/core";
import { type Database, putIf, transact } from "./database.ts";
import { deadline } from "./send-until-deadline.ts";
import { type Key, SCHEMA } from "./table.ts";

/** Something that is stored again when it happens again: `at` is when it last did, in epoch milliseconds. */
type Repeated = { readonly at: number };

const AT = { ExpressionAttributeNames: { "#at": "at" } };

/** Stores it until `retention` milliseconds after its time, unless a later one with this key is already stored. */
export const putLatest = (
  database: Database,
  key: Key,
  item: Repeated,
  retention: number,
  timeLeft: number | undefined,
): PortResult<void> => {
  const put = {
    Item: { ...item, ...key, schema: SCHEMA, expires: Math.ceil((item.at + retention) / 1000) },
    ConditionExpression: "attribute_not_exists(pk) OR #at < :at",
    ...AT,
    ExpressionAttributeValues: { ":at": item.at },
  };
  return putIf(database, put, deadline(database.timeoutMs, timeLeft));
};

/** Removes it, unless it has since been stored again. Idempotent. */
export const removeLatest = async (
  database: Database,
  key: Key,
  { at }: Repeated,
  timeLeft: number | undefined,
): PortResult<void> => {
  const deletion = {
    Delete: {
      TableName: database.table,
      Key: { ...key },
      ConditionExpression: "#at = :at",
      ...AT,
      ExpressionAttributeValues: { ":at": at },
    },
  };
  const written = await transact(database, [deletion], deadline(database.timeoutMs, timeLeft));
  return written.orElse((error) => (error.code === "refused" ? ok() : err(error)));
};
