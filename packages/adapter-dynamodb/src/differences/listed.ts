import { type AccountId, err, ok, type RecipientId } from "@postern/core";
import type { Difference, Repair } from "@postern/core/store";
import { completeAttachments } from "../complete-attachments.ts";
import { type Database, readOne } from "../database.ts";
import { attachmentItemsOf, isListed } from "../recipient-item.ts";
import { deadline } from "../send-until-deadline.ts";
import { Key } from "../table.ts";
import { TIMEOUT_MS } from "./question.ts";
import type { Recounted } from "./recount.ts";

/**
 * The stored and the correct number of aliases that are listed for a recipient; null if they agree, or if the latter is
 * unknown.
 */
export const wrongListed = (
  id: RecipientId,
  counted: Recounted,
): { readonly stored: unknown; readonly right: number } | null => {
  // An alias that does not parse could list any recipient.
  if (typeof counted === "string" || !counted.count.complete) return null;
  const [stored, right] = [attachmentItemsOf(counted.item), counted.count.listing(id)];
  return stored === right ? null : { stored, right };
};

const repair =
  (database: Database, account: AccountId, id: RecipientId): Repair =>
  async () => {
    const item = await readOne(database, Key.recipient(account, id), deadline(TIMEOUT_MS));
    if (item.isErr()) return err(item.error);
    if (item.value === undefined || isListed(item.value)) return ok("gone");
    const completed = await completeAttachments(database, account);
    return completed.map(() => "repaired");
  };

/** Repaired after `attached`: once all aliases are listed, the number is made equal to it. */
export const listedDifference = (
  database: Database,
  account: AccountId,
  id: RecipientId,
  { stored, right }: { readonly stored: unknown; readonly right: number },
): Difference => ({
  kind: "listed",
  account,
  alias: null,
  recipient: id,
  stored: String(stored),
  right: String(right),
  remedy: { by: "repair", repair: repair(database, account, id) },
});
