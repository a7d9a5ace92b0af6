import { Alias, type RecipientId } from "@postern/core";
import type { AliasKey } from "../address-item.ts";
import { parseAliasItem } from "../alias-item.ts";
import { deleteAttachments, putAttachments } from "../attachment-writes.ts";
import type { Write } from "../database.ts";
import { Key } from "../table.ts";
import { hasVersion, isAbsent, parsedOrNull, type Question } from "./question.ts";

/** Whether the recipient has an item for the alias if and only if it is attached to it. */
export const attachmentItem = (table: string, place: AliasKey, recipient: RecipientId): Question => {
  const key = Key.alias(place.account, place.id);
  return {
    account: place.account,
    alias: place.id,
    recipient,
    keys: [key, Key.attachment(place.account, recipient, place.id)],
    judge: ([aliasItem, item]) => {
      const alias = parsedOrNull(parseAliasItem, aliasItem)?.alias;
      if (aliasItem !== undefined && alias === undefined) return null;
      const isAttached = alias !== undefined && Alias.attachedRecipients(alias).includes(recipient);
      if (isAttached === (item !== undefined)) return null;
      const repaired = (stored: string, right: string, writes: readonly Write[]) =>
        ({ kind: "attachment", stored, right, remedy: { by: "repair", writes } }) as const;
      if (isAttached)
        return repaired("not listed for the recipient", "listed", [
          hasVersion(table, key, alias.version),
          ...putAttachments(table, place, [recipient]),
        ]);
      return repaired("listed for the recipient", "not listed", [
        alias === undefined
          ? isAbsent(table, key)
          : {
              // A save in progress may have put the item for its own use: changing the version makes DynamoDB refuse that save.
              Update: {
                TableName: table,
                Key: { ...key },
                UpdateExpression: "SET version = :next",
                ConditionExpression: "version = :version",
                ExpressionAttributeValues: { ":version": alias.version, ":next": alias.version + 1 },
              },
            },
        ...deleteAttachments(table, place, [recipient]),
      ]);
    },
  };
};
