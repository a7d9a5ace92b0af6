import { err, ok } from "@postern/core";
import { parseResend, RESEND_RETENTION, type Resends } from "@postern/core/store";
import { type Database, putIf, query, transact, type Write } from "./database.ts";
import { decodeAll, keyedItemParser } from "./item.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key, KeyRange, SCHEMA } from "./table.ts";

const parseResendItem = keyedItemParser(parseResend, Key.resend);

export const dynamoResends = (database: Database): Resends => ({
  request: (resend, timeLeft) => {
    const put = {
      Item: {
        ...resend,
        ...Key.resend(resend),
        schema: SCHEMA,
        expires: Math.ceil((resend.at + RESEND_RETENTION) / 1000),
      },
      ConditionExpression: "attribute_not_exists(pk) OR #at < :at",
      ExpressionAttributeNames: { "#at": "at" },
      ExpressionAttributeValues: { ":at": resend.at },
    };
    return putIf(database, put, deadline(database.timeoutMs, timeLeft));
  },

  list: async (spool, limit, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const found = await query(database, KeyRange.resends(spool), { limit }, signal);
    return found.isErr() ? err(found.error) : decodeAll(database, parseResendItem, found.value.items);
  },

  finish: async (resend, timeLeft) => {
    const write: Write = {
      Delete: {
        TableName: database.table,
        Key: { ...Key.resend(resend) },
        ConditionExpression: "#at = :at",
        ExpressionAttributeNames: { "#at": "at" },
        ExpressionAttributeValues: { ":at": resend.at },
      },
    };
    const written = await transact(database, [write], deadline(database.timeoutMs, timeLeft));
    return written.orElse((error) => (error.code === "refused" ? ok() : err(error)));
  },
});
