import {
  type AccountId,
  err,
  ok,
  type Recipient,
  type RecipientId,
  type Result,
  type Unavailable,
} from "@postern/core";
import type { Difference } from "@postern/core/store";
import type { Database } from "../database.ts";
import { Key } from "../table.ts";
import { attachedDifference, wrongAttached } from "./attached.ts";
import type { Count } from "./count.ts";
import { listedDifference, wrongListed } from "./listed.ts";
import { readAll } from "./pages.ts";
import { recount } from "./recount.ts";
import { COUNTED, usageDifference, wrongUsage } from "./usage.ts";

/** A recipient, and the number of aliases that it has an item for. */
export type StoredRecipient = { readonly recipient: Recipient; readonly listed: unknown };

/**
 * Whether the counts that the account stores match `count`. The recipients and the counted items were read one after
 * another, so a difference is only suspected at first, and then counted again in a way that is certain.
 */
export const compareCounts = async (
  database: Database,
  account: AccountId,
  count: Count,
  recipients: ReadonlyMap<RecipientId, StoredRecipient>,
): Promise<Result<readonly Difference[], Unavailable>> => {
  const keys = COUNTED.map((counted) => Key.usage(account, counted));
  const usage = await readAll(database, keys);
  if (usage.isErr()) return err(usage.error);
  const counts = COUNTED.filter((counted, n) => wrongUsage(counted, usage.value[n], count) !== null);
  const ids = count.complete
    ? [...recipients.values()]
        .filter(({ recipient: { id, attached }, listed }) => {
          const right = count.listing(id);
          return attached !== right || listed !== right;
        })
        .map(({ recipient }) => recipient.id)
    : [];
  const suspects = [
    ...counts.map((counted) => Key.usage(account, counted)),
    ...ids.map((id) => Key.recipient(account, id)),
  ];
  if (suspects.length === 0) return ok([]);
  const recounted = await recount(database, account, suspects);
  if (recounted.isErr()) return err(recounted.error);
  const differences: Difference[] = [];
  for (const [n, found] of recounted.value.entries()) {
    const [counted, id] = [counts[n], ids[n - counts.length] ?? null];
    if (found === "busy") differences.push(unsettled(account, id));
    else if (found === "gone") continue;
    else if (counted !== undefined) {
      const wrong = wrongUsage(counted, found.item, found.count);
      if (wrong !== null) differences.push(usageDifference(database, account, counted, wrong));
    } else if (id !== null) {
      const wrong = wrongAttached(found);
      if (wrong !== null) differences.push(attachedDifference(database, account, id, wrong));
      const listed = wrongListed(id, found);
      if (listed !== null) differences.push(listedDifference(database, account, id, listed));
    }
  }
  return ok(differences);
};

/** @param recipient null if it is about the counts of the account */
const unsettled = (account: AccountId, recipient: RecipientId | null): Difference => ({
  kind: "unsettled",
  account,
  alias: null,
  recipient,
  stored: "a count that may be wrong, but changed whenever it was compared",
  right: "compared while it does not change",
  remedy: { by: "operator", action: "run the command again", detach: null },
});
