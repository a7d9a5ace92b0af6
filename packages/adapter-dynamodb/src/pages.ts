import { QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import type { Page, PageRequest, Unavailable } from "@postern/core";
import { err, ok, type Result } from "neverthrow";
import { z } from "zod";
import { type Database, StoredItem, StoredItems, understand } from "./database.ts";
import { deadline, persist, UNAVAILABLE } from "./send-until-deadline.ts";
import type { Shelf } from "./table.ts";

const Answer = z.object({ Items: StoredItems, LastEvaluatedKey: StoredItem.optional() });

/** What a list shows: DynamoDB leaves out what `atOnce` says, `matches` the rest. */
export type Selection<T> = {
  readonly atOnce?: { readonly expression: string; readonly values: Readonly<Record<string, unknown>> };
  readonly matches: (item: T) => boolean;
};

/**
 * A page may take so many queries. Each looks at twice as many items as the one before, so that the whole is
 * bounded (some 2,300 items for a page of 50) and a page without a filter costs its own items and one.
 */
const MOST_QUERIES = 8;
const MOST_EXAMINED = 400;

/**
 * The items on the shelf that come after `after`, newest first. Short, or even empty, where the queries it may take have
 * not found enough; `next` then says where to go on.
 */
export const pageOf = async <S extends z.ZodType<{ readonly id: Id }>, Id extends string>(
  database: Database,
  schema: S,
  shelf: Shelf<Id>,
  { limit, after }: PageRequest<Id>,
  { atOnce, matches }: Selection<z.output<S>>,
): Promise<Result<Page<z.output<S>, Id>, Unavailable>> => {
  const { documents, table } = database;
  const signal = deadline(database);
  const items: z.output<S>[] = [];
  let start = after;
  // One item more than the page can show tells whether there is a next page.
  let examine = limit + 1;
  for (let queries = 1; ; queries += 1) {
    const input: QueryCommandInput = {
      TableName: table,
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
      FilterExpression: atOnce?.expression,
      ExpressionAttributeValues: { ":pk": shelf.pk, ":prefix": shelf.prefix, ...atOnce?.values },
      ExclusiveStartKey: start === null ? undefined : { ...shelf.key(start) },
      Limit: examine,
      ScanIndexForward: false,
      ConsistentRead: true,
    };
    const answer = await persist(signal, async (options) =>
      Answer.parse(await documents.send(new QueryCommand(input), options)),
    );
    if (answer.isErr()) return err(UNAVAILABLE);
    const { Items, LastEvaluatedKey: last } = answer.value;
    for (const stored of Items) {
      const item = understand(database, schema, stored);
      if (item.isErr()) return err(item.error);
      if (matches(item.value)) items.push(item.value);
    }
    if (items.length > limit) {
      const shown = items.slice(0, limit);
      return ok({ items: shown, next: shown.at(-1)?.id ?? null });
    }
    if (last === undefined) return ok({ items, next: null });
    const reached = understand(database, shelf.id, last);
    if (reached.isErr()) return err(reached.error);
    if (queries === MOST_QUERIES) return ok({ items, next: reached.value });
    start = reached.value;
    examine = Math.min(examine * 2, MOST_EXAMINED);
  }
};
