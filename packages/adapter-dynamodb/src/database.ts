import { randomUUID } from "node:crypto";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  DeleteCommand,
  type DeleteCommandInput,
  type DynamoDBDocumentClient,
  PutCommand,
  type PutCommandInput,
  QueryCommand,
  type QueryCommandInput,
  TransactGetCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { type Conflict, err, ok, type Result, type Unavailable } from "@postern/core";
import * as z from "zod";
import { type OnCorruptItem, StoredItem } from "./item.ts";
import {
  deadline,
  pause,
  type Refused,
  readUntilDeadline,
  sendUntilDeadline,
  tooLate,
} from "./send-until-deadline.ts";
import { Key, type KeyRange, type KeySpan } from "./table.ts";

export type Database = {
  readonly documents: DynamoDBDocumentClient;
  readonly table: string;
  /** The time limit of one call to the store, including all its requests; its caller may set a shorter one. */
  readonly timeoutMs: number;
  readonly onCorruptItem: OnCorruptItem;
};

export type Write = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

const StoredItems = z.array(StoredItem);

const BatchGetOutput = z.object({
  Responses: z.record(z.string(), StoredItems),
  UnprocessedKeys: z.record(z.string(), z.object({ Keys: StoredItems })).default({}),
});

/** The maximum number of keys in one BatchGetItem. */
const MAX_KEYS_PER_REQUEST = 100;

/** The items at `keys`, in that order, strongly consistent; undefined where there is none. Keys must be distinct. */
export const read = async (
  { documents, table }: Database,
  keys: readonly Key[],
  signal: AbortSignal,
): Promise<Result<readonly (StoredItem | undefined)[], Unavailable>> => {
  const found: StoredItem[] = [];
  let missing = keys;
  for (let attempt = 1; missing.length > 0; attempt += 1) {
    const requested = missing.slice(0, MAX_KEYS_PER_REQUEST);
    const command = new BatchGetCommand({
      RequestItems: { [table]: { Keys: requested.map((key) => ({ ...key })), ConsistentRead: true } },
    });
    const output = await readUntilDeadline(signal, async (options) => {
      const { Responses, UnprocessedKeys } = BatchGetOutput.parse(await documents.send(command, options));
      return { items: Responses[table] ?? [], left: UnprocessedKeys[table]?.Keys ?? [] };
    });
    if (output.isErr()) return err(output.error);
    const { items, left } = output.value;
    found.push(...items);
    missing = [...left, ...missing.slice(MAX_KEYS_PER_REQUEST)];
    // DynamoDB leaves keys unprocessed when it is busy: wait before requesting them again.
    if (left.length > 0 && !(await pause(attempt + 1, signal))) return err(tooLate("UnprocessedKeys"));
  }
  return ok(keys.map((key) => found.find((item) => Key.same(item, key))));
};

/** The item at `key`, strongly consistent. */
export const readOne = async (
  database: Database,
  key: Key,
  signal: AbortSignal,
): Promise<Result<StoredItem | undefined, Unavailable>> =>
  (await read(database, [key], signal)).map(([item]) => item);

const TransactGetOutput = z.object({ Responses: z.array(z.object({ Item: StoredItem.optional() })) });

/**
 * The items at `keys`, at most 100, as they were at one moment; undefined where there is none. Costs twice what `read` does,
 * and has to be repeated while transactions write them.
 */
export const readAtOnce = async (
  { documents, table }: Database,
  keys: readonly Key[],
  signal: AbortSignal,
): Promise<Result<readonly (StoredItem | undefined)[], Unavailable>> => {
  const command = new TransactGetCommand({
    TransactItems: keys.map(({ pk, sk }) => ({ Get: { TableName: table, Key: { pk, sk } } })),
  });
  const output = await readUntilDeadline(signal, async (options) =>
    TransactGetOutput.parse(await documents.send(command, options)),
  );
  return output.map(({ Responses }) => Responses.map(({ Item }) => Item));
};

const QueryOutput = z.object({ Items: StoredItems, LastEvaluatedKey: StoredItem.optional() });
const CountOutput = z.object({
  Count: z.int(),
  ScannedCount: z.int(),
  LastEvaluatedKey: StoredItem.optional(),
});

/** A filter applied by DynamoDB: filtered items are read, but not transferred. */
export type QueryFilter = {
  readonly expression: string;
  readonly values: Readonly<Record<string, unknown>>;
};

/** What all queries have in common, strong consistency included. */
const queryInput = (
  table: string,
  { pk, prefix }: KeyRange,
  {
    limit,
    start,
    filter,
  }: {
    readonly limit: number | undefined;
    readonly start?: Key | undefined;
    readonly filter?: QueryFilter | undefined;
  },
): QueryCommandInput => ({
  TableName: table,
  KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
  FilterExpression: filter?.expression,
  ExpressionAttributeValues: { ":pk": pk, ":prefix": prefix, ...filter?.values },
  ExclusiveStartKey: start && { ...start },
  Limit: limit,
  ConsistentRead: true,
});

/**
 * Examines at most `limit` items of the range after `start` in descending order, strongly consistent, and returns those
 * that pass the filter. `last` is the key to continue after; undefined at the end of the range.
 */
export const query = async (
  { documents, table }: Database,
  range: KeyRange,
  request: {
    readonly limit: number;
    readonly start?: Key | undefined;
    readonly filter?: QueryFilter | undefined;
  },
  signal: AbortSignal,
): Promise<
  Result<{ readonly items: readonly StoredItem[]; readonly last: Key | undefined }, Unavailable>
> => {
  const command = new QueryCommand({ ...queryInput(table, range, request), ScanIndexForward: false });
  const output = await readUntilDeadline(signal, async (options) =>
    QueryOutput.parse(await documents.send(command, options)),
  );
  if (output.isErr()) return err(output.error);
  return ok({ items: output.value.Items, last: output.value.LastEvaluatedKey });
};

/** All items of the span, in ascending order, strongly consistent: one request for each megabyte. */
export const queryAll = async (
  { documents, table }: Database,
  { pk, first, last }: KeySpan,
  signal: AbortSignal,
): Promise<Result<readonly StoredItem[], Unavailable>> => {
  const items: StoredItem[] = [];
  let start: Key | undefined;
  do {
    const command = new QueryCommand({
      TableName: table,
      KeyConditionExpression: "pk = :pk AND sk BETWEEN :first AND :last",
      ExpressionAttributeValues: { ":pk": pk, ":first": first, ":last": last },
      ExclusiveStartKey: start && { ...start },
      ConsistentRead: true,
    });
    const output = await readUntilDeadline(signal, async (options) =>
      QueryOutput.parse(await documents.send(command, options)),
    );
    if (output.isErr()) return err(output.error);
    items.push(...output.value.Items);
    start = output.value.LastEvaluatedKey;
  } while (start !== undefined);
  return ok(items);
};

/**
 * Counts at most `limit` items of the range after `start` (by default as many as fit into 1 MB), with strong consistency.
 * `last` is the key to continue after; undefined at the end of the range.
 */
export const countItems = async (
  { documents, table }: Database,
  range: KeyRange,
  request: {
    readonly limit: number | undefined;
    readonly start: Key | undefined;
    readonly filter: QueryFilter;
  },
  signal: AbortSignal,
): Promise<
  Result<
    { readonly examined: number; readonly matching: number; readonly last: Key | undefined },
    Unavailable
  >
> => {
  const command = new QueryCommand({ ...queryInput(table, range, request), Select: "COUNT" });
  const output = await readUntilDeadline(signal, async (options) =>
    CountOutput.parse(await documents.send(command, options)),
  );
  if (output.isErr()) return err(output.error);
  const { Count, ScannedCount, LastEvaluatedKey } = output.value;
  return ok({ examined: ScannedCount, matching: Count, last: LastEvaluatedKey });
};

/** Stores a new item; refused if one with that key exists. */
export const putNew = (table: string, item: Readonly<Record<string, unknown>>): Write => ({
  Put: { TableName: table, Item: item, ConditionExpression: "attribute_not_exists(pk)" },
});

/** Null if the condition of the request did not hold. */
const ifHeld = async <T>(sent: Promise<T>): Promise<T | null> => {
  try {
    return await sent;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return null;
    throw error;
  }
};

/*
 * Conditional writes of a single item. A request whose response is lost is sent again, so it must not matter how often it arrives. Each
 * costs half as much as a transaction.
 */

/** Puts one item if its condition holds. The condition must no longer hold once the item is stored. */
export const putIf = async (
  { documents, table }: Database,
  put: Omit<PutCommandInput, "TableName">,
  signal: AbortSignal,
): Promise<Result<void, Unavailable>> => {
  const command = new PutCommand({ ...put, TableName: table });
  const sent = await readUntilDeadline(signal, (options) => ifHeld(documents.send(command, options)));
  return sent.map(() => undefined);
};

const UpdateOutput = z.object({ Attributes: StoredItem });

/** Updates one item if its condition holds. Returns the updated item; null if the condition did not hold at the last attempt. */
export const updateIf = (
  { documents, table }: Database,
  update: Omit<UpdateCommandInput, "TableName" | "ReturnValues">,
  signal: AbortSignal,
): Promise<Result<StoredItem | null, Unavailable>> => {
  const command = new UpdateCommand({ ...update, TableName: table, ReturnValues: "ALL_NEW" });
  return readUntilDeadline(signal, async (options) => {
    const output = await ifHeld(documents.send(command, options));
    return output === null ? null : UpdateOutput.parse(output).Attributes;
  });
};

/** Deletes one item if its condition holds. Returns whether it held at the last attempt. */
export const deleteIf = async (
  { documents, table }: Database,
  deletion: Omit<DeleteCommandInput, "TableName">,
  signal: AbortSignal,
): Promise<Result<boolean, Unavailable>> => {
  const command = new DeleteCommand({ ...deletion, TableName: table });
  const sent = await readUntilDeadline(signal, (options) => ifHeld(documents.send(command, options)));
  return sent.map((output) => output !== null);
};

/** The maximum number of writes in one transaction. */
export const MAX_WRITES = 100;

/**
 * Applies all writes, or none if the condition of any one does not hold. Thanks to the token, DynamoDB applies them
 * only once even if they are sent repeatedly (it remembers tokens for ten minutes).
 */
export const transact = async (
  database: Database,
  writes: readonly Write[],
  signal = deadline(database.timeoutMs),
): Promise<Result<void, Refused | Unavailable>> => {
  const command = new TransactWriteCommand({ TransactItems: [...writes], ClientRequestToken: randomUUID() });
  const output = await sendUntilDeadline(signal, (options) => database.documents.send(command, options));
  return output.map(() => undefined);
};

/** For transactions in which any unmet condition means that the caller's decision was based on outdated data. */
export const orConflict = (
  written: Result<void, Refused | Unavailable>,
): Result<void, Conflict | Unavailable> =>
  written.mapErr((error) => (error.code === "refused" ? { code: "conflict" } : error));
