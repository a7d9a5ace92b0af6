import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  PutItemCommand,
  ResourceInUseException,
  UpdateContinuousBackupsCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { err, ok, type Result } from "@postern/core";
import { describeTable, differences, expiryOf, recoveryOf } from "./check-table.ts";
import { type DynamoLocation, tableClient } from "./client.ts";
import { Key, SCHEMA, TABLE } from "./table.ts";
import { type TableError, tableError } from "./table-error.ts";

/** A new table is usually ready within ten seconds. */
export const CREATION_TIMEOUT_SECONDS = 120;

const { TimeToLiveSpecification, PointInTimeRecoverySpecification, ...creation } = TABLE;

/** Returns whether the table was created. */
export const create = async (
  client: DynamoDBClient,
  TableName: string,
  shape: Omit<CreateTableCommandInput, "TableName">,
): Promise<boolean> => {
  try {
    await client.send(new CreateTableCommand({ TableName, ...shape }));
    return true;
  } catch (error) {
    if (error instanceof ResourceInUseException) return false;
    throw error;
  }
};

/** In a new table, all aliases have their search items, because there are no aliases. */
const searchable = {
  pk: { S: Key.searchable.pk },
  sk: { S: Key.searchable.sk },
  schema: { N: String(SCHEMA) },
};

/**
 * Creates the table if it does not exist, enables expiry and point-in-time recovery if they are off, and returns every
 * difference that remains. Idempotent; never changes the keys or the billing mode of an existing table.
 *
 * @example
 * ```ts
 * const created = await createTable({ region: "eu-central-1" }, "postern");
 * if (created.isErr()) throw new Error(`DynamoDB: ${created.error.reason}`);
 * ```
 */
export const createTable = async (
  location: DynamoLocation,
  TableName: string,
): Promise<Result<readonly string[], TableError>> => {
  const client = tableClient(location);
  try {
    const isNew = await create(client, TableName, creation);
    await waitUntilTableExists({ client, maxWaitTime: CREATION_TIMEOUT_SECONDS }, { TableName });
    if (isNew) await client.send(new PutItemCommand({ TableName, Item: searchable }));
    const found = await describeTable(client, TableName);
    if (expiryOf(found) === null) {
      await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
    }
    if (recoveryOf(found) === false) {
      await client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
    }
    return ok(differences(await describeTable(client, TableName)));
  } catch (error) {
    return err(await tableError(client, error));
  } finally {
    client.destroy();
  }
};
