import { err, ok } from "@postern/core";
import { HANDED_REPORT_RETENTION, type HandedReports, parseHandedReport } from "@postern/core/store";
import { type Database, putIf, query, transact, type Write } from "./database.ts";
import { decodeAll, keyedItemParser } from "./item.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key, KeyRange, SCHEMA } from "./table.ts";

const parseReportItem = keyedItemParser(parseHandedReport, Key.handedReport);

export const dynamoHandedReports = (database: Database): HandedReports => ({
  handOver: (report, timeLeft) => {
    const put = {
      Item: {
        ...report,
        ...Key.handedReport(report),
        schema: SCHEMA,
        expires: Math.ceil((report.at + HANDED_REPORT_RETENTION) / 1000),
      },
      ConditionExpression: "attribute_not_exists(pk) OR #at < :at",
      ExpressionAttributeNames: { "#at": "at" },
      ExpressionAttributeValues: { ":at": report.at },
    };
    return putIf(database, put, deadline(database.timeoutMs, timeLeft));
  },

  list: async (spool, limit, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const found = await query(database, KeyRange.handedReports(spool), { limit }, signal);
    return found.isErr() ? err(found.error) : decodeAll(database, parseReportItem, found.value.items);
  },

  finish: async (report, timeLeft) => {
    const write: Write = {
      Delete: {
        TableName: database.table,
        Key: { ...Key.handedReport(report) },
        ConditionExpression: "#at = :at",
        ExpressionAttributeNames: { "#at": "at" },
        ExpressionAttributeValues: { ":at": report.at },
      },
    };
    const written = await transact(database, [write], deadline(database.timeoutMs, timeLeft));
    return written.orElse((error) => (error.code === "refused" ? ok() : err(error)));
  },
});
