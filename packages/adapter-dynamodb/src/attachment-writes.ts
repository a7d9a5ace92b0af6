import type { AccountId, attachments, RecipientId } from "@postern/core";
import type { Write } from "./database.ts";
import { Key } from "./table.ts";

/** Attaches a recipient to `times` aliases; refused unless it is verified and active. Ends a recount (`recount.ts`). */
export const attach = (table: string, account: AccountId, id: RecipientId, times: number): Write => ({
  Update: {
    TableName: table,
    Key: { ...Key.recipient(account, id) },
    UpdateExpression: "SET attached = attached + :times REMOVE recounting",
    ConditionExpression: "active = :true AND attribute_type(verifiedAt, :number)",
    ExpressionAttributeValues: { ":times": times, ":true": true, ":number": "N" },
  },
});

/** Refused unless it is attached. Ends a recount as well. */
const detach = (table: string, account: AccountId, id: RecipientId): Write => ({
  Update: {
    TableName: table,
    Key: { ...Key.recipient(account, id) },
    UpdateExpression: "SET attached = attached - :one REMOVE recounting",
    ConditionExpression: "attached >= :one",
    ExpressionAttributeValues: { ":one": 1 },
  },
});

/**
 * The writes that attach and detach recipients of an alias, for the transaction that writes the alias. A newly attached
 * recipient must be verified and active. Recipients that stay attached are not written.
 */
export const attachmentWrites = (
  table: string,
  account: AccountId,
  { attached, detached }: ReturnType<typeof attachments>,
): readonly Write[] => [
  ...attached.map((id) => attach(table, account, id, 1)),
  ...detached.map((id) => detach(table, account, id)),
];
