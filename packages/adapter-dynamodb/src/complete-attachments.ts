import { type AccountId, err, ok, type Result, type Unavailable } from "@postern/core";
import { changeAll, unlessRefused } from "./change-all.ts";
import { completeItems } from "./complete-items.ts";
import { type Database, transact } from "./database.ts";
import { pagesOf } from "./differences/pages.ts";
import { TIMEOUT_MS } from "./differences/question.ts";
import { ATTACHMENT_ITEMS, isListed } from "./recipient-item.ts";
import { deadline } from "./send-until-deadline.ts";
import { KeyRange } from "./table.ts";

/** Declares that all recipients have all their items. They keep them, because every write changes both. */
const declareListed = async (database: Database, account: AccountId): Promise<Result<void, Unavailable>> => {
  for await (const page of pagesOf(database, KeyRange.recipients(account))) {
    if (page.isErr()) return err(page.error);
    const changed = await changeAll(
      page.value.filter((item) => !isListed(item)),
      async ({ pk, sk }) =>
        unlessRefused(
          await transact(
            database,
            [
              {
                Update: {
                  TableName: database.table,
                  Key: { pk, sk },
                  UpdateExpression: "SET #items = attached REMOVE recounting",
                  ConditionExpression: "attribute_type(attached, :number)",
                  ExpressionAttributeNames: { "#items": ATTACHMENT_ITEMS },
                  ExpressionAttributeValues: { ":number": "N" },
                },
              },
            ],
            deadline(TIMEOUT_MS),
          ),
        ),
    );
    if (changed.isErr()) return err(changed.error);
  }
  return ok();
};

/**
 * Corrects the attachment items of an account while any number of servers of this version are running. Safe to interrupt and
 * repeat. Returns how many aliases lacked some.
 */
export const completeAttachments = async (
  database: Database,
  account: AccountId,
): Promise<Result<number, Unavailable>> => {
  const completed = await completeItems(database, account, "attachment");
  if (completed.isErr()) return completed;
  return (await declareListed(database, account)).map(() => completed.value);
};
