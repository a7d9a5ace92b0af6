import type { AccountId, attachments, RecipientId } from "@postern/core";
import type { Write } from "./database.ts";
import { Key } from "./table.ts";

/**
 * The writes that attach and detach recipients of an alias, for the transaction that writes the alias. A newly attached
 * recipient must be verified and active. Recipients that stay attached are not written.
 */
export const attachmentWrites = (
  table: string,
  account: AccountId,
  { attached, detached }: ReturnType<typeof attachments>,
): readonly Write[] => {
  const at = (id: RecipientId) => ({ TableName: table, Key: { ...Key.recipient(account, id) } });
  return [
    ...attached.map((id) => ({
      Update: {
        ...at(id),
        UpdateExpression: "SET attached = attached + :one",
        ConditionExpression: "active = :true AND attribute_type(verifiedAt, :number)",
        ExpressionAttributeValues: { ":one": 1, ":true": true, ":number": "N" },
      },
    })),
    ...detached.map((id) => ({
      Update: {
        ...at(id),
        UpdateExpression: "SET attached = attached - :one",
        ConditionExpression: "attached >= :one",
        ExpressionAttributeValues: { ":one": 1 },
      },
    })),
  ];
};
