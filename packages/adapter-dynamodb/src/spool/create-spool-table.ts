import { type CreateTableCommandInput, waitUntilTableExists } from "@aws-sdk/client-dynamodb";
import { err, ok, type Result } from "@postern/core";
import { type DynamoLocation, tableClient } from "../client.ts";
import { CREATION_TIMEOUT_SECONDS, create } from "../create-table.ts";
import { TABLE } from "../table.ts";
import { type TableError, tableError } from "../table-error.ts";

const { BillingMode, KeySchema, AttributeDefinitions } = TABLE;

/** What a spool needs of its table, in properties shared by DynamoDB's API and CloudFormation. */
export const SPOOL_TABLE = { BillingMode, KeySchema, AttributeDefinitions } satisfies Omit<
  CreateTableCommandInput,
  "TableName"
>;

/**
 * Creates the table of a spool if it does not exist. Idempotent; never changes an existing table. Backups of it are of no use: a spool that
 * is restored sends again what it has sent since.
 *
 * @example
 * ```ts
 * const created = await createSpoolTable({ region: "eu-central-1" }, "postern-spool");
 * if (created.isErr()) throw new Error(`DynamoDB: ${created.error.reason}`);
 * ```
 */
export const createSpoolTable = async (
  location: DynamoLocation,
  TableName: string,
): Promise<Result<void, TableError>> => {
  const client = tableClient(location);
  try {
    await create(client, TableName, SPOOL_TABLE);
    await waitUntilTableExists({ client, maxWaitTime: CREATION_TIMEOUT_SECONDS }, { TableName });
    return ok();
  } catch (error) {
    return err(await tableError(client, error));
  } finally {
    client.destroy();
  }
};
