import { err, ok } from "@postern/core";
import * as z from "zod";
import { putNew, type Write } from "./database.ts";
import { itemParser } from "./item.ts";
import { type Key, SCHEMA } from "./table.ts";

/** A number of aliases or recipients, and how many of them are unverified recipients. */
export type Counts = { readonly total: number; readonly unverified: number };

/**
 * What is known about how many aliases, or recipients, an account has: the counts or, if there are none, the token of a
 * count in progress, if there is one.
 */
export type Usage = { readonly counts: Counts } | { readonly counts: null; readonly token: string | null };

const StoredUsage = z.union([
  z.object({ total: z.int().positive(), unverified: z.int().nonnegative() }),
  z.object({ counting: z.uuid() }),
]);

export const parseUsageItem = itemParser<Usage>((item) => {
  const { data } = StoredUsage.safeParse(item);
  if (data === undefined) return err({ code: "corrupt" });
  return ok("counting" in data ? { counts: null, token: data.counting } : { counts: data });
});

/** Requires that counts are stored and would still be valid after the change. A total of 0 is never stored. */
const changeable = (change: Counts) => ({
  condition: "#total > :less AND unverified >= :fewer",
  names: { "#total": "total" },
  values: { ":less": -change.total, ":fewer": -change.unverified },
});

/** Changes the stored counts; refused if there are none, a limit (0: none) would be exceeded, or the total would be 0. */
export const changeCounts = (table: string, key: Key, change: Counts, limits: Counts): Write => {
  const { condition, names, values } = changeable(change);
  const belowTotal = limits.total > 0 ? " AND #total < :totalLimit" : "";
  const belowUnverified = limits.unverified > 0 ? " AND unverified < :unverifiedLimit" : "";
  return {
    Update: {
      TableName: table,
      Key: { ...key },
      // Ends a comparison that is in progress (`counts.ts`).
      UpdateExpression: "ADD #total :total, unverified :unverified REMOVE recounting",
      ConditionExpression: `${condition}${belowTotal}${belowUnverified}`,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: {
        ...values,
        ":total": change.total,
        ":unverified": change.unverified,
        ...(belowTotal === "" ? {} : { ":totalLimit": limits.total - change.total + 1 }),
        ...(belowUnverified === "" ? {} : { ":unverifiedLimit": limits.unverified - change.unverified + 1 }),
      },
    },
  };
};

/**
 * Deletes the item, provided that `changeCounts` without limits would be refused: nothing is left to count, a count is in
 * progress, which this change invalidates, or the counts were wrong.
 */
export const forgetCounts = (table: string, key: Key, change: Counts): Write => {
  const { condition, names, values } = changeable(change);
  return {
    Delete: {
      TableName: table,
      Key: { ...key },
      ConditionExpression: `NOT (${condition})`,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
    },
  };
};

/** Stores the token of a count that is about to begin; refused if there is an item. */
export const beginCount = (table: string, key: Key, token: string): Write =>
  putNew(table, { ...key, schema: SCHEMA, counting: token });

/** Replaces the token, which invalidates a count in progress and leaves the account uncounted; refused if counts are stored. */
export const leaveUncounted = (table: string, key: Key, token: string): Write => ({
  Put: {
    TableName: table,
    Item: { ...key, schema: SCHEMA, counting: token },
    ConditionExpression: "attribute_not_exists(#total)",
    ExpressionAttributeNames: { "#total": "total" },
  },
});

/** Stores the result of a count under `token`, or without one; refused if another write has invalidated the count. */
export const storeCounts = (table: string, key: Key, counts: Counts, token: string | null): Write => {
  const item = { ...key, schema: SCHEMA, ...counts };
  if (token === null) return putNew(table, item);
  return {
    Put: {
      TableName: table,
      Item: item,
      ConditionExpression: "counting = :token",
      ExpressionAttributeValues: { ":token": token },
    },
  };
};
