import { type Alias, attachments, type RecipientId } from "@postern/core";
import type { Write } from "./database.ts";
import { Key } from "./table.ts";

/**
 * What becoming `after` means for recipients, as part of the transaction that makes it so. Those newly held have to be
 * verified and active, and count one alias more; those let go count one less; those kept are not written, as
 * what they have to be they are already.
 */
export const attach = (table: string, before: Alias | null, after: Alias): readonly Write[] => {
  const { attached, detached } = attachments(before, after);
  const at = (id: RecipientId) => ({ TableName: table, Key: { ...Key.recipient(after.account, id) } });
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
