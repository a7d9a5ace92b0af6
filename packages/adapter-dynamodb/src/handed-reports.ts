import { err } from "@postern/core";
import { HANDED_REPORT_RETENTION, type HandedReports, parseHandedReport } from "@postern/core/store";
import { type Database, query } from "./database.ts";
import { decodeAll, keyedItemParser } from "./item.ts";
import { putLatest, removeLatest } from "./latest-item.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key, KeyRange } from "./table.ts";

const parseReportItem = keyedItemParser(parseHandedReport, Key.handedReport);

export const dynamoHandedReports = (database: Database): HandedReports => ({
  handOver: (report, timeLeft) =>
    putLatest(database, Key.handedReport(report), report, HANDED_REPORT_RETENTION, timeLeft),

  list: async (spool, limit, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const found = await query(database, KeyRange.handedReports(spool), { limit }, signal);
    return found.isErr() ? err(found.error) : decodeAll(database, parseReportItem, found.value.items);
  },

  finish: (report, timeLeft) => removeLatest(database, Key.handedReport(report), report, timeLeft),
});
