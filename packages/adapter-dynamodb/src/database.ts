import { randomUUID } from "node:crypto";
import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from "@aws-sdk/lib-dynamodb";
import type { Conflict, Unavailable } from "@postern/core";
import { err, ok, type Result } from "neverthrow";
import { z } from "zod";
import { deadline, pause, persist, type Refused, UNAVAILABLE } from "./send-until-deadline.ts";
import { Key, SCHEMA } from "./table.ts";

export type Database = {
  readonly documents: DynamoDBDocumentClient;
  readonly table: string;
  /** How long a call of the store may take in all, in milliseconds, whatever it asks DynamoDB for. */
  readonly patience: number;
  /** Told of an item that is not as this version writes it. */
  readonly onCorruptItem: (key: Key) => void;
};

export type Write = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** An item as it came, known only to be at a key. */
export const StoredItem = z.looseObject({ pk: z.string(), sk: z.string() });
export type StoredItem = z.output<typeof StoredItem>;

export const StoredItems = z.array(StoredItem);

const BatchAnswer = z.object({
  Responses: z.record(z.string(), StoredItems),
  UnprocessedKeys: z.record(z.string(), z.object({ Keys: StoredItems })).default({}),
});

/** What every item has, beside what it is about. */
export const ItemHead = z.object({ pk: z.string(), sk: z.string(), schema: z.literal(SCHEMA) });

/** What the item says; reported and `unavailable` where it is not what `schema` describes. */
export const understand = <S extends z.ZodType>(
  { onCorruptItem }: Database,
  schema: S,
  item: StoredItem,
): Result<z.output<S>, Unavailable> => {
  const parsed = schema.safeParse(item);
  if (parsed.success) return ok(parsed.data);
  onCorruptItem({ pk: item.pk, sk: item.sk });
  return err(UNAVAILABLE);
};

/** The most keys that DynamoDB takes in one BatchGetItem. */
const KEYS_A_REQUEST = 100;

/** The items at those keys, in their order, as they are now; undefined where there is none. No key twice. */
export const read = async (
  { documents, table }: Database,
  keys: readonly Key[],
  signal: AbortSignal,
): Promise<Result<readonly (StoredItem | undefined)[], Unavailable>> => {
  const found: StoredItem[] = [];
  let missing = keys;
  for (let attempt = 1; missing.length > 0; attempt += 1) {
    const asked = missing.slice(0, KEYS_A_REQUEST);
    const command = new BatchGetCommand({
      RequestItems: { [table]: { Keys: asked.map((key) => ({ ...key })), ConsistentRead: true } },
    });
    const answer = await persist(signal, async (options) => {
      const { Responses, UnprocessedKeys } = BatchAnswer.parse(await documents.send(command, options));
      return { items: Responses[table] ?? [], left: UnprocessedKeys[table]?.Keys ?? [] };
    });
    if (answer.isErr()) return err(UNAVAILABLE);
    const { items, left } = answer.value;
    found.push(...items);
    missing = [...left, ...missing.slice(KEYS_A_REQUEST)];
    // DynamoDB leaves keys over when it is busy: it should not be asked again at once.
    if (left.length > 0 && !(await pause(attempt + 1, signal))) return err(UNAVAILABLE);
  }
  return ok(keys.map((key) => found.find((item) => Key.same(item, key))));
};

/**
 * Applies all of the writes, or none where a condition of one does not hold. The token makes DynamoDB apply them once
 * however often they have to be sent (it remembers tokens for ten minutes).
 */
export const transact = async (
  database: Database,
  writes: readonly Write[],
  signal = deadline(database),
): Promise<Result<void, Refused | Unavailable>> => {
  const command = new TransactWriteCommand({ TransactItems: [...writes], ClientRequestToken: randomUUID() });
  const answer = await persist(signal, (options) => database.documents.send(command, options));
  return answer.map(() => undefined);
};

/** Where any condition that does not hold means that the caller decided upon something else than is stored. */
export const orConflict = (
  written: Result<void, Refused | Unavailable>,
): Result<void, Conflict | Unavailable> =>
  written.mapErr((error) => (error.code === "refused" ? { code: "conflict" } : error));
