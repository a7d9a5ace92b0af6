import {
  type AliasId,
  err,
  LoggedMessage,
  ok,
  parseAliasId,
  type Result,
  type Unavailable,
} from "@postern/core";
import { LogLimits, type MessagePosition, parseMessagePosition } from "@postern/core/store";
import { type Database, MAX_WRITES, putIf, query, transact } from "./database.ts";
import { itemParser } from "./item.ts";
import { expires } from "./message-item.ts";
import { queryMany } from "./query-many.ts";
import { Key, KeyRange, SCHEMA } from "./table.ts";

/*
 * Each message in the sample (`LogLimits`) has a mark besides, in the order of all messages of its account. So one query counts the
 * messages of the account and of the alias, to within the share of the sample, and finds the one that is too old, with which all older ones
 * of its alias go. Marks of erased aliases count until they are too old, or expire.
 */

type Mark = { readonly alias: AliasId; readonly position: MessagePosition };

/** More than the sample of any limit: one query for each megabyte, about 5,000 marks. */
const MOST_MARKS = 4_096;

/** How many marks one call removes, with the messages up to them. It adds one, so what is too old cannot pile up. */
const MOST_REMOVED = 10;

/** How many transactions delete the messages up to one mark. If they are not enough, later calls continue. */
const MOST_TRANSACTIONS = 3;

const parseMark = itemParser<Mark>((item) =>
  parseAliasId(item["alias"]).andThen((alias) =>
    parseMessagePosition(item["position"]).map((position) => ({ alias, position })),
  ),
);

const putMark = (message: LoggedMessage) => {
  const { account, alias } = message;
  const position = LoggedMessage.position(message);
  const item = { alias, position, schema: SCHEMA, expires: expires(message) };
  return {
    Item: { ...item, ...Key.messageMark(account, alias, position) },
    ConditionExpression: "attribute_not_exists(pk)",
  };
};

/** Deletes the mark, and first the message that it marks and all older ones of its alias. */
const removeUpTo = async (
  database: Database,
  account: LoggedMessage["account"],
  { alias, position }: Mark,
  signal: AbortSignal,
): Promise<Result<void, Unavailable>> => {
  const { table: TableName } = database;
  const { pk, sk } = Key.messageMark(account, alias, position);
  for (let transactions = 0; transactions < MOST_TRANSACTIONS; transactions += 1) {
    const start = Key.afterMessage(account, alias, position);
    const request = { limit: MAX_WRITES - 1, start };
    const found = await query(database, KeyRange.messages(account, alias), request, signal);
    if (found.isErr()) return err(found.error);
    const isLast = found.value.last === undefined;
    const keys = [
      ...found.value.items.map((item) => ({ pk: item.pk, sk: item.sk })),
      ...(isLast ? [{ pk, sk }] : []),
    ];
    const deleted = await transact(
      database,
      keys.map((key) => ({ Delete: { TableName, Key: key } })),
      signal,
    );
    if (deleted.isErr() && deleted.error.code === "unavailable") return err(deleted.error);
    if (isLast) return ok();
  }
  return ok();
};

/** Marks a message that has just been stored, and deletes the oldest ones if there are too many. */
export const keepToLimits = async (
  database: Database,
  message: LoggedMessage,
  limits: LogLimits,
  signal: AbortSignal,
): Promise<Result<void, Unavailable>> => {
  const { account, alias } = message;
  const marked = await putIf(database, putMark(message), signal);
  if (marked.isErr()) return err(marked.error);
  const range = KeyRange.messageMarks(account);
  const marks = await queryMany(database, parseMark, range, MOST_MARKS, undefined, signal);
  if (marks.isErr()) return err(marks.error);
  const share = LogLimits.share(limits);
  const beyond = (all: readonly Mark[], limit: number) =>
    limit === 0 ? [] : all.slice(Math.floor(limit / share));
  const own = beyond(
    marks.value.filter((mark) => mark.alias === alias),
    limits.loggedMessagesOfAlias,
  );
  const others = beyond(
    marks.value.filter((mark) => !own.includes(mark)),
    limits.loggedMessages,
  );
  for (const mark of [...own, ...others].slice(-MOST_REMOVED)) {
    const removed = await removeUpTo(database, account, mark, signal);
    if (removed.isErr()) return err(removed.error);
  }
  return ok();
};
