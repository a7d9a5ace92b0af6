import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import {
  type AccountId,
  err,
  ok,
  type Page,
  type PageRequest,
  type Result,
  type Unavailable,
} from "@postern/core";
import * as z from "zod";
import type { Database } from "./database.ts";
import { decodeAll, StoredItem } from "./item.ts";
import { deadline, readUntilDeadline } from "./send-until-deadline.ts";
import { type Key, Partition } from "./table.ts";

const ScanOutput = z.object({ Items: z.array(StoredItem), LastEvaluatedKey: StoredItem.optional() });

/** How many items one request examines. */
const MAX_EXAMINED = 1_000;

/** A page ends after this many requests if it has found an account to continue after. */
const MAX_SCANS = 8;

/**
 * Where to continue: skips the rest of a partition whose account has been found, and events, which can be very many.
 */
const continueAfter = (last: Key, found: AccountId | undefined): Key => {
  const end = found === undefined ? undefined : Partition.end(found);
  return end?.pk === last.pk ? end : Partition.skipEvents(last);
};

/**
 * The accounts whose partitions come after that of `after`, in DynamoDB's order of partitions. Scans the whole table
 * page by page, so it is for exports. An account that has only events, tallies, counts or attachments is not listed: an erased alias may
 * leave some events behind until they expire, and older servers leave the others.
 */
export const accountsOf = async (
  database: Database,
  { limit, after }: PageRequest<AccountId>,
): Promise<Result<Page<AccountId, AccountId>, Unavailable>> => {
  const { documents, table, timeoutMs } = database;
  const signal = deadline(timeoutMs);
  const found: AccountId[] = [];
  let start: Key | undefined = after === null ? undefined : Partition.end(after);
  for (let scans = 1; ; scans += 1) {
    const command = new ScanCommand({
      TableName: table,
      ProjectionExpression: "pk, sk",
      FilterExpression:
        "begins_with(pk, :account) AND NOT begins_with(sk, :event) AND NOT begins_with(sk, :tally) AND NOT begins_with(sk, :usage) AND NOT begins_with(sk, :attachment)",
      ExpressionAttributeValues: {
        ":account": Partition.prefix,
        ":event": Partition.events,
        ":tally": Partition.tallies,
        ":usage": Partition.usage,
        ":attachment": Partition.attachments,
      },
      ExclusiveStartKey: start && { pk: start.pk, sk: start.sk },
      Limit: MAX_EXAMINED,
      ConsistentRead: true,
    });
    const output = await readUntilDeadline(signal, async (options) =>
      ScanOutput.parse(await documents.send(command, options)),
    );
    if (output.isErr()) return err(output.error);
    const accounts = decodeAll(database, Partition.account, output.value.Items);
    if (accounts.isErr()) return err(accounts.error);
    for (const account of accounts.value) {
      // A scan returns the items of a partition consecutively.
      if (found.at(-1) !== account) found.push(account);
    }
    const last = output.value.LastEvaluatedKey;
    const more = last !== undefined || found.length > limit;
    if (!more || found.length >= limit || (found.length > 0 && scans >= MAX_SCANS)) {
      const items = found.slice(0, limit);
      return ok({ items, next: more ? (items.at(-1) ?? null) : null });
    }
    start = last && continueAfter(last, found.at(-1));
  }
};
