import { err, type MailEvent, ok, type Result, type Unavailable } from "@postern/core";
import { EVENT_RETENTION } from "@postern/core/store";
import type { AliasKey } from "./address-item.ts";
import { type Database, readOne, transact, updateIf, type Write } from "./database.ts";
import type { FullItems } from "./full-items.ts";
import { decode } from "./item.ts";
import {
  apart,
  inRead,
  inTally,
  isFull,
  markOf,
  mayBeApart,
  newMark,
  parseRemembered,
  type Remembering,
} from "./remembered-events.ts";
import { Key, SCHEMA } from "./table.ts";
import { counting, parseTallyItem } from "./tally-item.ts";

/**
 * Records in an item of its own that the event was counted; refused if that is already recorded. DynamoDB deletes expired items late, so a
 * record that has expired is overwritten.
 */
const remember = (table: string, { account, id }: AliasKey, event: MailEvent, now: number): Write => ({
  Put: {
    TableName: table,
    Item: {
      ...Key.event(account, id, event.id),
      schema: SCHEMA,
      expires: Math.ceil((now + EVENT_RETENTION) / 1000),
    },
    ConditionExpression: "attribute_not_exists(pk) OR expires <= :now",
    ExpressionAttributeValues: { ":now": Math.floor(now / 1000) },
  },
});

/** Whether an item of its own says that the event was counted. */
const isRemembered = async (
  database: Database,
  { account, id }: AliasKey,
  event: MailEvent,
  now: number,
  signal: AbortSignal,
): Promise<Result<boolean, Unavailable>> =>
  (await readOne(database, Key.event(account, id, event.id), signal)).map(
    (item) => item !== undefined && !(Number(item["expires"]) <= Math.floor(now / 1000)),
  );

type Counted = Result<"recorded" | "duplicate" | null, Unavailable>;

/**
 * Counts the event once, by one update of its tally item if possible. If that is refused, the item says why: then what it remembers is
 * replaced, which is refused if it has changed, and the item is read again. So it does not matter in what order attempts arrive. Null if
 * there is no tally item.
 */
export const countEvent = async (
  database: Database,
  full: FullItems,
  alias: AliasKey,
  event: MailEvent,
  now: number,
  signal: AbortSignal,
): Promise<Counted> => {
  const { table } = database;
  const key = Key.tallyOf(alias.account, alias.id, event.id);
  const mark = newMark(now);

  /** Null if it is refused. */
  const update = async (isLast: boolean, remembering: Remembering): Promise<Counted> =>
    (await updateIf(database, counting(alias, event, isLast, remembering), signal)).map((item) =>
      item === null ? null : "recorded",
    );

  /** Null if only the tally item refuses it. */
  const countApart = async (isLast: boolean): Promise<Counted> => {
    const tally = counting(alias, event, isLast, apart(event.id, mark, now));
    const writes = [remember(table, alias, event, now), { Update: { TableName: table, ...tally } }];
    const recorded = await transact(database, writes, signal);
    if (recorded.isOk()) return ok("recorded");
    if (recorded.error.code === "unavailable") return err(recorded.error);
    return ok(recorded.error.refused[0] ? "duplicate" : null);
  };

  let counted = await (full.has(key, now) ? countApart(true) : update(true, inTally(event.id, mark, now)));
  while (counted.isOk() && counted.value === null) {
    const item = await readOne(database, key, signal);
    if (item.isErr()) return err(item.error);
    if (item.value === undefined) return ok(null);
    const tallies = decode(database, parseTallyItem, item.value);
    if (tallies.isErr()) return err(tallies.error);
    const marks = decode(database, parseRemembered, item.value);
    if (marks.isErr()) return err(marks.error);
    const found = markOf(marks.value, event.id, now);
    if (found !== undefined) return ok(found === mark ? "recorded" : "duplicate");
    const isLast = (tallies.value[event.outcome].lastAt ?? 0) <= event.at;
    if (isFull(marks.value, now)) {
      full.add(key, now);
      counted = await countApart(isLast);
      continue;
    }
    if (mayBeApart(marks.value, now)) {
      // Not earlier: what is counted apart after the tally item was read changes that item.
      const remembered = await isRemembered(database, alias, event, now, signal);
      if (remembered.isErr()) return err(remembered.error);
      if (remembered.value) return ok("duplicate");
    }
    counted = await update(isLast, inRead(marks.value, event.id, mark, now));
  }
  return counted;
};
