import { err, MAIL_OUTCOMES, type MailEvent, type MailOutcome, ok } from "@postern/core";
import { Tallies, type Tally } from "@postern/core/store";
import * as z from "zod";
import type { AliasKey } from "./address-item.ts";
import type { Write } from "./database.ts";
import { itemParser } from "./item.ts";
import type { NOTHING_REMEMBERED, Remembering } from "./remembered-events.ts";
import { Key, SCHEMA } from "./table.ts";

/*
 * The events of an alias are spread over items of their own that count them, so counting costs the same for every alias, does
 * not compete with changes to its settings, and hardly competes with itself. Tally items are created and erased together with
 * the alias, so a count proves that the alias exists without touching it. Each has attributes only for the outcomes that it
 * has counted.
 */

const attributes = (outcome: MailOutcome) => ({ count: `${outcome}Count`, lastAt: `${outcome}At` });

const Counted = z.union([
  z.object({ count: z.int().positive(), lastAt: z.int().nonnegative() }),
  z.object({ count: z.undefined(), lastAt: z.undefined() }),
]);

/** What the item has counted. */
export const parseTallyItem = itemParser<Tallies>((item) => {
  let tallies: Tallies = Tallies.none;
  for (const outcome of MAIL_OUTCOMES) {
    const { count, lastAt } = attributes(outcome);
    const { data } = Counted.safeParse({ count: item[count], lastAt: item[lastAt] });
    if (data === undefined) return err({ code: "corrupt" });
    if (data.count !== undefined) tallies = { ...tallies, [outcome]: data };
  }
  return ok(tallies);
});

const add = (a: Tally, b: Tally): Tally => {
  const times = [a.lastAt, b.lastAt].filter((at) => at !== null);
  return { count: a.count + b.count, lastAt: times.length === 0 ? null : Math.max(...times) };
};

export const sumOfTallies = (all: readonly Tallies[]): Tallies =>
  all.reduce((sum, tallies) => {
    let both = sum;
    for (const outcome of MAIL_OUTCOMES) both = { ...both, [outcome]: add(sum[outcome], tallies[outcome]) };
    return both;
  }, Tallies.none);

/**
 * New tally items for an alias that has none.
 *
 * @param attributes `NOTHING_REMEMBERED` if none of its events can have been counted
 */
export const putTallies = (
  table: string,
  { account, id }: AliasKey,
  attributes: Partial<typeof NOTHING_REMEMBERED> = {},
): readonly Write[] =>
  Key.tallies(account, id).map((key) => ({
    Put: { TableName: table, Item: { ...key, schema: SCHEMA, ...attributes } },
  }));

export const deleteTallies = (table: string, { account, id }: AliasKey): readonly Write[] =>
  Key.tallies(account, id).map((key) => ({ Delete: { TableName: table, Key: { ...key } } }));

/**
 * Counts the event and remembers it. `isLast` says whether to set the last time of its outcome. Refused if that is wrong, because the
 * time would go back, or stay although the event is later; if `remembering` is; or if there is no such item.
 */
export const counting = (
  { account, id }: AliasKey,
  { id: event, outcome, at }: MailEvent,
  isLast: boolean,
  { set, condition, names, values }: Remembering,
) => {
  const { count, lastAt } = attributes(outcome);
  return {
    Key: { ...Key.tallyOf(account, id, event) },
    UpdateExpression: `SET ${isLast ? "#at = :at, " : ""}${set} ADD #count :one`,
    ConditionExpression: `#schema = :schema AND ${isLast ? "(attribute_not_exists(#at) OR #at <= :at)" : "#at > :at"} AND ${condition}`,
    ExpressionAttributeNames: { "#at": lastAt, "#count": count, "#schema": "schema", ...names },
    ExpressionAttributeValues: { ":one": 1, ":at": at, ":schema": SCHEMA, ...values },
  };
};
