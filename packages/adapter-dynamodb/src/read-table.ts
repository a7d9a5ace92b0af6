import { type DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
import { err, ok, type Result } from "@postern/core";
import { deadline, sendUntilDeadline } from "./send-until-deadline.ts";
import { Key } from "./table.ts";
import { type TableError, tableError } from "./table-error.ts";

/** Long enough for a DynamoDB that is briefly busy, short enough to wait for. */
const TIMEOUT_MS = 5_000;

/**
 * Reads the table as the store does, with the same permission (`dynamodb:GetItem`), to find out whether it can be used:
 * it exists, has the keys that the store needs, and the credentials may read it. Resolves within 5 seconds. Changes nothing,
 * and does not notice whether expiry and backups are enabled: `checkTable` does.
 *
 * @returns the region of the table, and whether its searches use an index (until `migrateTable` has run on a table that
 * `createTable` did not create, or only an earlier version of it, they compare aliases); or why it cannot be read
 * @example
 * ```ts
 * const client = dynamoClient({ region: "eu-central-1" });
 * const read = await readTable(client, "postern");
 * if (read.isErr()) throw new Error(`DynamoDB: ${read.error.reason}`);
 * ```
 */
export const readTable = async (
  client: DynamoDBClient,
  table: string,
): Promise<Result<{ readonly region: string; readonly searchable: boolean }, TableError>> => {
  const { pk, sk } = Key.searchable;
  const command = new GetItemCommand({
    TableName: table,
    Key: { pk: { S: pk }, sk: { S: sk } },
    ConsistentRead: true,
  });
  let failure: unknown = new DOMException("no response", "TimeoutError");
  let region: string;
  try {
    region = await client.config.region();
  } catch (error) {
    return err(await tableError(client, error));
  }
  const read = await sendUntilDeadline(deadline(TIMEOUT_MS), async (options) => {
    try {
      return await client.send(command, options);
    } catch (error) {
      failure = error;
      throw error;
    }
  });
  return read.isOk()
    ? ok({ region, searchable: read.value.Item !== undefined })
    : err(await tableError(client, failure));
};
