import {
  CreateTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateContinuousBackupsCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { err, ok, type Result } from "neverthrow";
import {
  describeTable,
  differences,
  expiryOf,
  recoveryOf,
  type TableError,
  tableError,
} from "./check-table.ts";
import { type DynamoLocation, tableClient } from "./client.ts";
import { TABLE } from "./table.ts";

/** How long a new table may take to be there, in seconds; mostly it takes ten. */
const CREATION_PATIENCE = 120;

const { TimeToLiveSpecification, PointInTimeRecoverySpecification, ...atCreation } = TABLE;

const create = async (client: DynamoDBClient, TableName: string): Promise<void> => {
  try {
    await client.send(new CreateTableCommand({ TableName, ...atCreation }));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
};

/**
 * Creates the table unless there is one, switches on what can be switched on (expiry, point-in-time recovery) and
 * names what differs still. Can be repeated; never changes the keys or the billing mode of a table that is there.
 */
export const createTable = async (
  location: DynamoLocation,
  TableName: string,
): Promise<Result<readonly string[], TableError>> => {
  const client = tableClient(location);
  try {
    await create(client, TableName);
    await waitUntilTableExists({ client, maxWaitTime: CREATION_PATIENCE }, { TableName });
    const found = await describeTable(client, TableName);
    if (expiryOf(found) === null) {
      await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
    }
    if (recoveryOf(found) === false) {
      await client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
    }
    return ok(differences(await describeTable(client, TableName)));
  } catch (error) {
    return err(tableError(error));
  } finally {
    client.destroy();
  }
};
