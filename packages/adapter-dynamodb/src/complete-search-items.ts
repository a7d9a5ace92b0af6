import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { type AccountId, err, ok, type Result, type Unavailable } from "@postern/core";
import { parseAliasItem } from "./alias-item.ts";
import { changeAll } from "./change-all.ts";
import type { Database } from "./database.ts";
import { pagesOf } from "./differences/pages.ts";
import { parsedOrNull, settle, TIMEOUT_MS } from "./differences/question.ts";
import { leftoverSearchItems, missingSearchItems } from "./differences/search-items.ts";
import { deadline, readUntilDeadline } from "./send-until-deadline.ts";
import { Key, KeyRange, SCHEMA } from "./table.ts";

/**
 * Corrects the search items of an account while any number of servers of this version are running. Safe to interrupt and
 * repeat. Returns how many aliases lacked some.
 */
export const completeSearchItems = async (
  database: Database,
  account: AccountId,
): Promise<Result<number, Unavailable>> => {
  let completed = 0;
  for await (const page of pagesOf(database, KeyRange.aliases(account))) {
    if (page.isErr()) return err(page.error);
    const aliases = page.value.flatMap((item) => parsedOrNull(parseAliasItem, item)?.alias ?? []);
    const missing = await missingSearchItems(database, aliases);
    if (missing.isErr()) return err(missing.error);
    const settled = await changeAll(missing.value, (question) => settle(database, [question]));
    if (settled.isErr()) return err(settled.error);
    completed += settled.value;
  }
  for await (const page of pagesOf(database, KeyRange.allSearch(account))) {
    if (page.isErr()) return err(page.error);
    const leftovers = await leftoverSearchItems(database, account, page.value);
    if (leftovers.isErr()) return err(leftovers.error);
    const settled = await settle(database, leftovers.value);
    if (settled.isErr()) return err(settled.error);
  }
  return ok(completed);
};

/** Declares that all aliases of the table have their search items. They keep them, because every write changes both. */
export const declareSearchable = async (database: Database): Promise<Result<void, Unavailable>> => {
  const { documents, table } = database;
  const command = new PutCommand({ TableName: table, Item: { ...Key.searchable, schema: SCHEMA } });
  const put = await readUntilDeadline(deadline(TIMEOUT_MS), (options) => documents.send(command, options));
  return put.map(() => undefined);
};
