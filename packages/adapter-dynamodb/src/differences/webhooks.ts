import { type AccountId, err, ok, type Result, type Unavailable } from "@postern/core";
import type { Difference } from "@postern/core/store";
import type { Database } from "../database.ts";
import { Key } from "../table.ts";
import { parseWebhooksItem } from "../webhooks-item.ts";
import { readAll } from "./pages.ts";
import { unreadable } from "./unreadable.ts";

/** Reports the webhooks of the account if they do not parse. */
export const unreadableWebhooks = async (
  database: Database,
  account: AccountId,
): Promise<Result<readonly Difference[], Unavailable>> => {
  const found = await readAll(database, [Key.webhooks(account)]);
  if (found.isErr()) return err(found.error);
  const [item] = found.value;
  return ok(item === undefined || parseWebhooksItem(item).isOk() ? [] : [unreadable(account, item)]);
};
