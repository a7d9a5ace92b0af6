import { err, ok } from "@postern/core";
import { CREATION_RETENTION, type Creation, type Creations, parseCreation } from "@postern/core/store";
import { unavailable } from "./cause.ts";
import { type Database, query, readAtOnce, transact, type Write } from "./database.ts";
import { decode, keyedItemParser } from "./item.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key, KeyRange, SCHEMA } from "./table.ts";

const parseCreationItem = keyedItemParser(parseCreation, ({ account, key }) => Key.creation(account, key));

/**
 * Adds a creation; refused if something was already created with its key. DynamoDB deletes expired items late, so a creation that is over
 * is overwritten. Those stored without `expiresAt` are over after 24 hours.
 */
export const putCreation = (table: string, creation: Creation): Write => ({
  Put: {
    TableName: table,
    Item: {
      ...creation,
      ...Key.creation(creation.account, creation.key),
      schema: SCHEMA,
      expires: Math.ceil(creation.expiresAt / 1000),
    },
    ConditionExpression:
      "attribute_not_exists(pk) OR expiresAt <= :at OR (attribute_not_exists(expiresAt) AND #at <= :over)",
    ExpressionAttributeNames: { "#at": "at" },
    ExpressionAttributeValues: { ":at": creation.at, ":over": creation.at - CREATION_RETENTION },
  },
});

/** Where the transaction that stored the creation has stored what was created. */
const placeOf = ({ account, kind, id }: Creation): Key =>
  kind === "alias" ? Key.alias(account, id) : Key.webhooks(account);

export const dynamoCreations = (database: Database): Creations => ({
  find: async (account, key, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const items = await readAtOnce(database, [Key.creation(account, key)], signal);
    if (items.isErr()) return err(items.error);
    const [item] = items.value;
    if (item === undefined) return ok(null);
    const creation = decode(database, parseCreationItem, item);
    if (creation.isErr()) return err(creation.error);
    // The items of a transaction become visible one after the other. Reading this one at once waits until its turn has come.
    const created = await readAtOnce(database, [placeOf(creation.value)], signal);
    return created.map(() => creation.value);
  },

  forget: async (account, limit, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const found = await query(database, KeyRange.creations(account), { limit }, signal);
    if (found.isErr()) return err(found.error);
    const { items } = found.value;
    if (items.length === 0) return ok(0);
    const deletions = items.map(({ pk, sk }) => ({
      Delete: { TableName: database.table, Key: { pk, sk } },
    }));
    const deleted = await transact(database, deletions, signal);
    return deleted
      .map(() => items.length)
      .mapErr((error) =>
        error.code === "refused" ? unavailable("a deletion without a condition was refused") : error,
      );
  },
});
