import { randomUUID } from "node:crypto";
import { type AccountId, err, ok, type Result, type Unavailable } from "@postern/core";
import { type Database, transact } from "../database.ts";
import type { StoredItem } from "../item.ts";
import { deadline, pause } from "../send-until-deadline.ts";
import type { Key } from "../table.ts";
import { type Count, countAccount } from "./count.ts";
import { readAll } from "./pages.ts";
import { TIMEOUT_MS } from "./question.ts";

const MAX_ATTEMPTS = 8;

/** An item as it was while its account was counted, unless it is gone, or changed during every attempt. */
export type Recounted =
  | { readonly item: StoredItem; readonly count: Count; readonly token: string }
  | "gone"
  | "busy";

/**
 * Counts the aliases and recipients of the account for items that store a count of them. Counting takes several requests and
 * must not miss a concurrent write, so each item has a token in the meantime, `recounting`: every write that changes the count
 * in an item removes the token. If the token is still there, the count is valid for the content of the item. A token has no
 * other effect, and stays until such a write.
 */
export const recount = async (
  database: Database,
  account: AccountId,
  keys: readonly Key[],
): Promise<Result<readonly Recounted[], Unavailable>> => {
  const results: Recounted[] = keys.map(() => "busy");
  const signal = deadline(TIMEOUT_MS);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const token = randomUUID();
    for (const [n, { pk, sk }] of keys.entries()) {
      if (results[n] !== "busy") continue;
      const marked = await transact(
        database,
        [
          {
            Update: {
              TableName: database.table,
              Key: { pk, sk },
              UpdateExpression: "SET recounting = :token",
              ConditionExpression: "attribute_exists(pk)",
              ExpressionAttributeValues: { ":token": token },
            },
          },
        ],
        deadline(TIMEOUT_MS),
      );
      if (marked.isOk()) continue;
      if (marked.error.code === "unavailable") return err(marked.error);
      results[n] = "gone";
    }
    if (!results.includes("busy")) break;
    const count = await countAccount(database, account);
    if (count.isErr()) return err(count.error);
    const items = await readAll(database, keys);
    if (items.isErr()) return err(items.error);
    for (const [n, item] of items.value.entries()) {
      if (results[n] === "busy" && item?.["recounting"] === token)
        results[n] = { item, count: count.value, token };
    }
    if (!results.includes("busy") || !(await pause(attempt + 1, signal))) break;
  }
  return ok(results);
};
