import { err } from "@postern/core";
import { parseResend, RESEND_RETENTION, type Resends } from "@postern/core/store";
import { type Database, query } from "./database.ts";
import { decodeAll, keyedItemParser } from "./item.ts";
import { putLatest, removeLatest } from "./latest-item.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key, KeyRange } from "./table.ts";

const parseResendItem = keyedItemParser(parseResend, Key.resend);

export const dynamoResends = (database: Database): Resends => ({
  request: (resend, timeLeft) => putLatest(database, Key.resend(resend), resend, RESEND_RETENTION, timeLeft),

  list: async (spool, limit, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const found = await query(database, KeyRange.resends(spool), { limit }, signal);
    return found.isErr() ? err(found.error) : decodeAll(database, parseResendItem, found.value.items);
  },

  finish: (resend, timeLeft) => removeLatest(database, Key.resend(resend), resend, timeLeft),
});
