import { Alias, isNonEmpty, Recipient, type RecipientId } from "@postern/core";
import { Difference } from "@postern/core/store";
import { parseAliasItem } from "../alias-item.ts";
import { aliasSettings } from "../alias-settings.ts";
import { deleteAttachments } from "../attachment-writes.ts";
import type { Write } from "../database.ts";
import { ATTACHMENT_ITEMS, parseRecipientItem } from "../recipient-item.ts";
import { Key } from "../table.ts";
import { parsedOrNull, type Question } from "./question.ts";

/** Whether a recipient that a live alias lists is verified and active. `now` is called when it is taken off the alias. */
export const destination = (
  table: string,
  { account, id, destinations }: Alias,
  recipient: RecipientId,
  now: () => number,
): Question => {
  const key = Key.alias(account, id);
  // Without repetitions, even if the alias has some.
  const listed = [...new Set(destinations.map(({ recipientId }) => recipientId))];
  return {
    account,
    alias: id,
    recipient,
    keys: [key, ...listed.map((each) => Key.recipient(account, each))],
    judge: ([aliasItem, ...recipientItems]) => {
      const alias = parsedOrNull(parseAliasItem, aliasItem)?.alias;
      // Taken off in the meantime, or the alias is gone.
      if (alias === undefined || !Alias.attachedRecipients(alias).includes(recipient)) return null;
      const found = new Map(listed.map((each, n) => [each, recipientItems[n]]));
      const state = (each: RecipientId) => {
        const item = found.get(each);
        // One that was listed in the meantime has been found eligible.
        if (item === undefined) return found.has(each) ? "gone" : null;
        const parsed = parsedOrNull(parseRecipientItem, item);
        return parsed === null ? null : Recipient.ineligibility(parsed);
      };
      const wrong = state(recipient);
      if (wrong === null) return null;
      const stored = wrong === "unverified" || wrong === "inactive" ? wrong : "gone";
      const off = alias.destinations.filter(({ recipientId }) => state(recipientId) !== null);
      const left = alias.destinations.filter((each) => !off.includes(each));
      // A live alias always lists at least one recipient.
      const after = isNonEmpty(left)
        ? { ...alias, destinations: left, updatedAt: now(), version: alias.version + 1 }
        : Alias.delete(alias, now());
      const detached = off.flatMap(({ recipientId }): readonly Write[] => {
        const attached = parsedOrNull(parseRecipientItem, found.get(recipientId))?.attached ?? 0;
        // If the count is too low, it becomes right without a write.
        if (attached === 0) return [];
        return [
          {
            Update: {
              TableName: table,
              Key: { ...Key.recipient(account, recipientId) },
              UpdateExpression: "SET attached = attached - :one ADD #items :less REMOVE recounting",
              ConditionExpression: "attached = :before",
              ExpressionAttributeNames: { "#items": ATTACHMENT_ITEMS },
              ExpressionAttributeValues: { ":one": 1, ":less": -1, ":before": attached },
            },
          },
        ];
      });
      const unlisted = deleteAttachments(table, alias, [
        ...new Set(off.map(({ recipientId }) => recipientId)),
      ]);
      const save: Write = {
        Update: {
          TableName: table,
          Key: { ...key },
          ...aliasSettings.expression,
          ConditionExpression: "version = :before",
          ExpressionAttributeValues: { ...aliasSettings.values(after), ":before": alias.version },
        },
      };
      return {
        kind: "destination",
        stored,
        right: "verified and active",
        remedy: {
          by: "operator",
          action: Difference.destinationActions[stored],
          detach: [save, ...detached, ...unlisted],
        },
      };
    },
  };
};
