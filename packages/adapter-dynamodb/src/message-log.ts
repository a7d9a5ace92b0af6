import {
  err,
  LoggedMessage,
  type MessageLog,
  ok,
  pageOf,
  type Result,
  type Unavailable,
} from "@postern/core";
import { type Database, putIf, query, read, readOne } from "./database.ts";
import { decode, decodeAll } from "./item.ts";
import { parseMessageItem, putMessage } from "./message-item.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key, KeyRange } from "./table.ts";

/** Up to `count` items of the range after `start`, in descending order. A response of DynamoDB ends at 1 MB. */
const queryMany = async (
  database: Database,
  range: KeyRange,
  count: number,
  start: Key | undefined,
  signal: AbortSignal,
): Promise<Result<readonly LoggedMessage[], Unavailable>> => {
  const messages: LoggedMessage[] = [];
  let after = start;
  do {
    const found = await query(database, range, { limit: count - messages.length, start: after }, signal);
    if (found.isErr()) return err(found.error);
    const decoded = decodeAll(database, parseMessageItem, found.value.items);
    if (decoded.isErr()) return err(decoded.error);
    messages.push(...decoded.value);
    after = found.value.last;
  } while (after !== undefined && messages.length < count);
  return ok(messages);
};

export const dynamoMessageLog = (database: Database): MessageLog => ({
  save: (message, timeLeft) => putIf(database, putMessage(message), deadline(database.timeoutMs, timeLeft)),

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
      queryMany(database, KeyRange.messages(account, id), limit + 1, start, signal),
    ]);
    if (alias.isErr()) return err(alias.error);
    if (found.isErr()) return err(found.error);
    // What was saved after its erasure does not count.
    return ok(pageOf(alias.value === undefined ? [] : found.value, limit, LoggedMessage.position));
  },
});
