import { err, LoggedMessage, ok } from "@postern/core";
import { LogLimits, type MessageLog, pageOf } from "@postern/core/store";
import { type Database, putIf, read, readOne } from "./database.ts";
import { decode } from "./item.ts";
import { keepToLimits } from "./log-limits.ts";
import { parseMessageItem, putMessage } from "./message-item.ts";
import { queryMany } from "./query-many.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key, KeyRange } from "./table.ts";

export const dynamoMessageLog = (database: Database): MessageLog => ({
  save: async (message, limits, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const saved = await putIf(database, putMessage(message), signal);
    if (saved.isErr() || !LogLimits.isDue(message.id, limits)) return saved;
    return keepToLimits(database, message, limits, signal);
  },

  find: async ({ account, id }, position, timeLeft) => {
    const keys = [Key.message(account, id, position), Key.alias(account, id)];
    const items = await read(database, keys, deadline(database.timeoutMs, timeLeft));
    if (items.isErr()) return err(items.error);
    const [item, alias] = items.value;
    return item === undefined || alias === undefined ? ok(null) : decode(database, parseMessageItem, item);
  },

  list: async ({ account, id }, { limit, after }, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const start = after === null ? undefined : Key.message(account, id, after);
    const [alias, found] = await Promise.all([
      readOne(database, Key.alias(account, id), signal),
      // One more than the page holds shows whether there is a next page.
      queryMany(database, parseMessageItem, KeyRange.messages(account, id), limit + 1, start, signal),
    ]);
    if (alias.isErr()) return err(alias.error);
    if (found.isErr()) return err(found.error);
    // Messages saved after the erasure of the alias do not count.
    return ok(pageOf(alias.value === undefined ? [] : found.value, limit, LoggedMessage.position));
  },
});
