import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import type { AccountId, Page, PageRequest, Unavailable } from "@postern/core";
import { err, ok, type Result } from "neverthrow";
import { z } from "zod";
import { type Database, StoredItem, StoredItems, understand } from "./database.ts";
import { deadline, persist, UNAVAILABLE } from "./send-until-deadline.ts";
import { Partition } from "./table.ts";

const Answer = z.object({ Items: StoredItems, LastEvaluatedKey: StoredItem.optional() });

/** How many items one request looks at. */
const EXAMINED = 1_000;

/**
 * The accounts whose partitions come after that of `after`, in the order in which DynamoDB keeps partitions. Reads the
 * table through, so it is for moving everything elsewhere, not for everyday.
 */
export const accountsOf = async (
  database: Database,
  { limit, after }: PageRequest<AccountId>,
): Promise<Result<Page<AccountId, AccountId>, Unavailable>> => {
  const { documents, table } = database;
  const signal = deadline(database);
  const found: AccountId[] = [];
  let start: { readonly pk: string; readonly sk: string } | undefined =
    after === null ? undefined : Partition.end(after);
  for (;;) {
    const command = new ScanCommand({
      TableName: table,
      ProjectionExpression: "pk, sk",
      FilterExpression: "begins_with(pk, :account)",
      ExpressionAttributeValues: { ":account": Partition.prefix },
      ExclusiveStartKey: start && { pk: start.pk, sk: start.sk },
      Limit: EXAMINED,
      ConsistentRead: true,
    });
    const answer = await persist(signal, async (options) =>
      Answer.parse(await documents.send(command, options)),
    );
    if (answer.isErr()) return err(UNAVAILABLE);
    for (const item of answer.value.Items) {
      const account = understand(database, Partition.account, item);
      if (account.isErr()) return err(account.error);
      // The items of a partition come one after the other.
      if (found.at(-1) !== account.value) found.push(account.value);
    }
    start = answer.value.LastEvaluatedKey;
    const more = start !== undefined || found.length > limit;
    if (!more || found.length >= limit) {
      const items = found.slice(0, limit);
      return ok({ items, next: more ? (items.at(-1) ?? null) : null });
    }
    // Going on from the middle of a partition would only show the same account again.
    const last = found.at(-1);
    if (last !== undefined && start !== undefined && Partition.end(last).pk === start.pk)
      start = Partition.end(last);
  }
};
