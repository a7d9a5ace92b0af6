import { type AccountId, err, ok, type RecipientId } from "@postern/core";
import type { Difference, Repair } from "@postern/core/store";
import { type Database, transact } from "../database.ts";
import { parseRecipientItem } from "../recipient-item.ts";
import { deadline } from "../send-until-deadline.ts";
import { Key } from "../table.ts";
import { parsedOrNull, TIMEOUT_MS } from "./question.ts";
import { type Recounted, recount } from "./recount.ts";

const MAX_ATTEMPTS = 8;

/** The stored and the correct number of aliases that list a recipient; null if they agree, or if the latter is unknown. */
export const wrongAttached = (
  counted: Recounted,
): { readonly stored: number; readonly right: number } | null => {
  // An alias that does not parse could list any recipient.
  if (typeof counted === "string" || !counted.count.complete) return null;
  const recipient = parsedOrNull(parseRecipientItem, counted.item);
  if (recipient === null) return null;
  const [stored, right] = [recipient.attached, counted.count.listing(recipient.id)];
  return stored === right ? null : { stored, right };
};

const repair =
  (database: Database, account: AccountId, id: RecipientId): Repair =>
  async () => {
    const key = Key.recipient(account, id);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const counted = await recount(database, account, [key]);
      if (counted.isErr()) return err(counted.error);
      const [found = "gone"] = counted.value;
      if (found === "busy") return ok("busy");
      const wrong = wrongAttached(found);
      if (wrong === null || found === "gone") return ok("gone");
      const written = await transact(
        database,
        [
          {
            Update: {
              TableName: database.table,
              Key: { ...key },
              UpdateExpression: "SET attached = :right REMOVE recounting",
              ConditionExpression: "recounting = :token",
              ExpressionAttributeValues: { ":right": wrong.right, ":token": found.token },
            },
          },
        ],
        deadline(TIMEOUT_MS),
      );
      if (written.isOk()) return ok("repaired");
      if (written.error.code === "unavailable") return err(written.error);
    }
    return ok("busy");
  };

export const attachedDifference = (
  database: Database,
  account: AccountId,
  id: RecipientId,
  { stored, right }: { readonly stored: number; readonly right: number },
): Difference => ({
  kind: "attached",
  account,
  alias: null,
  recipient: id,
  stored: String(stored),
  right: String(right),
  remedy: { by: "repair", repair: repair(database, account, id) },
});
