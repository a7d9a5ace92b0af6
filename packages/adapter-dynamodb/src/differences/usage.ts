import { type AccountId, err, ok } from "@postern/core";
import type { Difference, Repair } from "@postern/core/store";
import { type Database, transact } from "../database.ts";
import type { StoredItem } from "../item.ts";
import { deadline } from "../send-until-deadline.ts";
import { Key } from "../table.ts";
import { type Counts, parseUsageItem } from "../usage-item.ts";
import type { Count } from "./count.ts";
import { parsedOrNull, TIMEOUT_MS } from "./question.ts";

export const COUNTED = ["aliases", "recipients"] as const;

type Counted = (typeof COUNTED)[number];

/** The stored and the correct counts of an account; null if they agree, or if nothing is counted. */
export const wrongUsage = (
  counted: Counted,
  item: StoredItem | undefined,
  count: Count,
): { readonly stored: Counts; readonly right: Counts } | null => {
  const stored = parsedOrNull(parseUsageItem, item)?.counts ?? null;
  const right = count[counted];
  return stored === null || (stored.total === right.total && stored.unverified === right.unverified)
    ? null
    : { stored, right };
};

/** Deletes the counts: an account without counts is counted when a limit has to be checked, concurrently with all other writes. */
const forget =
  (database: Database, key: Key): Repair =>
  async () => {
    const forgotten = await transact(
      database,
      [
        {
          Delete: {
            TableName: database.table,
            Key: { ...key },
            ConditionExpression: "attribute_exists(#total)",
            ExpressionAttributeNames: { "#total": "total" },
          },
        },
      ],
      deadline(TIMEOUT_MS),
    );
    if (forgotten.isOk()) return ok("repaired");
    return forgotten.error.code === "unavailable" ? err(forgotten.error) : ok("gone");
  };

const textOf = (counted: Counted, { total, unverified }: Counts): string =>
  `${counted}: ${total}${counted === "recipients" ? `, unverified: ${unverified}` : ""}`;

export const usageDifference = (
  database: Database,
  account: AccountId,
  counted: Counted,
  { stored, right }: { readonly stored: Counts; readonly right: Counts },
): Difference => ({
  kind: "usage",
  account,
  alias: null,
  recipient: null,
  stored: textOf(counted, stored),
  right: textOf(counted, right),
  remedy: { by: "repair", repair: forget(database, Key.usage(account, counted)) },
});
