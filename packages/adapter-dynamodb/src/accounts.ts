import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { type AccountId, err, ok, type Result, type Unavailable } from "@postern/core";
import type { AccountsCursor, Page, PageRequest } from "@postern/core/store";
import * as z from "zod";
import { unavailable } from "./cause.ts";
import type { Database } from "./database.ts";
import { decodeAll, StoredItem } from "./item.ts";
import { deadline, readUntilDeadline } from "./send-until-deadline.ts";
import { type Key, Partition } from "./table.ts";

const ScanOutput = z.object({ Items: z.array(StoredItem), LastEvaluatedKey: StoredItem.optional() });

/** How many items one request examines: few enough for a DynamoDB that responds slowly. */
const EXAMINED = 1_000;

/**
 * Where to continue: skips the rest of a partition whose account has been found, as well as events and messages, of which there
 * can be very many.
 */
const continueAfter = (last: Key, found: AccountId | undefined): Key => {
  const end = found === undefined ? undefined : Partition.end(found);
  return end?.pk === last.pk ? end : Partition.skipMany(last);
};

const CursorKey = z.tuple([z.string(), z.string()]);

const cursorOf = ({ pk, sk }: Key): AccountsCursor => JSON.stringify([pk, sk]);

const keyOf = (cursor: AccountsCursor): Result<Key, Unavailable> => {
  try {
    const [pk, sk] = CursorKey.parse(JSON.parse(cursor));
    return ok({ pk, sk });
  } catch {
    return err(unavailable("not a cursor of this store"));
  }
};

/**
 * The accounts whose partitions come after the cursor, in DynamoDB's order of partitions. Each page is one request of a scan of the whole
 * table, so this is for exports: a page is empty if its request finds only addresses, for example, and the next one continues wherever it
 * ended. An account that has only events, logged messages, tallies, counts, attachments, search items or contacts is not listed: an erased
 * alias may leave some events and messages behind until they expire, and older servers leave the others behind.
 *
 * @param examined how many items one request examines
 */
export const accountsOf = async (
  database: Database,
  { limit, after }: PageRequest<AccountsCursor>,
  examined = EXAMINED,
): Promise<Result<Page<AccountId, AccountsCursor>, Unavailable>> => {
  const { documents, table, timeoutMs } = database;
  const start = after === null ? ok(undefined) : keyOf(after);
  if (start.isErr()) return err(start.error);
  const command = new ScanCommand({
    TableName: table,
    ProjectionExpression: "pk, sk",
    FilterExpression:
      "begins_with(pk, :account) AND NOT begins_with(sk, :event) AND NOT begins_with(sk, :tally) AND NOT begins_with(sk, :usage) AND NOT begins_with(sk, :attachment) AND NOT begins_with(sk, :search) AND NOT begins_with(sk, :contact) AND NOT begins_with(sk, :message)",
    ExpressionAttributeValues: {
      ":account": Partition.prefix,
      ":event": Partition.events,
      ":tally": Partition.tallies,
      ":usage": Partition.usage,
      ":attachment": Partition.attachments,
      ":search": Partition.search,
      ":contact": Partition.contacts,
      ":message": Partition.messages,
    },
    ExclusiveStartKey: start.value && { ...start.value },
    Limit: examined,
    ConsistentRead: true,
  });
  const output = await readUntilDeadline(deadline(timeoutMs), async (options) =>
    ScanOutput.parse(await documents.send(command, options)),
  );
  if (output.isErr()) return err(output.error);
  const accounts = decodeAll(database, Partition.account, output.value.Items);
  if (accounts.isErr()) return err(accounts.error);
  // A scan returns the items of a partition consecutively.
  const found = [...new Set(accounts.value)];
  const items = found.slice(0, limit);
  const last = items.at(-1);
  if (last !== undefined && found.length > limit) return ok({ items, next: cursorOf(Partition.end(last)) });
  const { LastEvaluatedKey: end } = output.value;
  return ok({ items, next: end === undefined ? null : cursorOf(continueAfter(end, last)) });
};
