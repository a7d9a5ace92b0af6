import {
  DescribeContinuousBackupsCommand,
  type DescribeContinuousBackupsCommandOutput,
  DescribeTableCommand,
  type DescribeTableCommandOutput,
  DescribeTimeToLiveCommand,
  type DescribeTimeToLiveCommandOutput,
  type DynamoDBClient,
} from "@aws-sdk/client-dynamodb";
import { err, ok, type Result } from "@postern/core";
import { type DynamoLocation, tableClient } from "./client.ts";
import { TABLE } from "./table.ts";
import { type TableError, tableError } from "./table-error.ts";

/** DynamoDB's description of a table. DynamoDB Local, which does not support backups, omits their description. */
export type TableDescription = Pick<DescribeTableCommandOutput, "Table"> &
  Pick<DescribeTimeToLiveCommandOutput, "TimeToLiveDescription"> &
  Pick<DescribeContinuousBackupsCommandOutput, "ContinuousBackupsDescription">;

const describeBackups = async (
  client: DynamoDBClient,
  TableName: string,
): Promise<Pick<TableDescription, "ContinuousBackupsDescription">> => {
  try {
    return await client.send(new DescribeContinuousBackupsCommand({ TableName }));
  } catch (error) {
    if (error instanceof Error && error.name === "UnknownOperationException") return {};
    throw error;
  }
};

/** Throws what the SDK throws. */
export const describeTable = async (
  client: DynamoDBClient,
  TableName: string,
): Promise<TableDescription> => ({
  ...(await client.send(new DescribeTableCommand({ TableName }))),
  ...(await client.send(new DescribeTimeToLiveCommand({ TableName }))),
  ...(await describeBackups(client, TableName)),
});

/** The attribute that holds the expiry time of items; null if expiry is off. */
export const expiryOf = ({ TimeToLiveDescription: ttl }: TableDescription): string | null =>
  ttl?.TimeToLiveStatus === "ENABLED" || ttl?.TimeToLiveStatus === "ENABLING"
    ? (ttl.AttributeName ?? null)
    : null;

/** Whether point-in-time recovery is on; null if this DynamoDB does not support it. */
export const recoveryOf = ({ ContinuousBackupsDescription: backups }: TableDescription): boolean | null =>
  backups === undefined
    ? null
    : backups.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === "ENABLED";

type Keys = Pick<NonNullable<TableDescription["Table"]>, "KeySchema" | "AttributeDefinitions">;

/** Name and type of the partition key (HASH) or the sort key (RANGE). */
const keyOf = ({ KeySchema = [], AttributeDefinitions = [] }: Keys, type: "HASH" | "RANGE"): string => {
  const name = KeySchema.find(({ KeyType }) => KeyType === type)?.AttributeName;
  const definition = AttributeDefinitions.find(({ AttributeName }) => AttributeName === name);
  return name === undefined ? "none" : `${name} (${definition?.AttributeType})`;
};

/** Every difference between the table and its required shape, one sentence each. */
export const differences = (found: TableDescription): readonly string[] => {
  const keys = found.Table ?? {};
  // DynamoDB omits the billing mode of a table that has always been provisioned.
  const billing = found.Table?.BillingModeSummary?.BillingMode ?? "PROVISIONED";
  const recovery = recoveryOf(found) === false ? "off" : "on";
  const replicas = (found.Table?.Replicas ?? []).map(({ RegionName = "unknown" }) => RegionName);
  const aspects: readonly (readonly [what: string, is: string, wanted: string])[] = [
    ["partition key", keyOf(keys, "HASH"), keyOf(TABLE, "HASH")],
    ["sort key", keyOf(keys, "RANGE"), keyOf(TABLE, "RANGE")],
    ["billing mode", billing, TABLE.BillingMode],
    ["time-to-live attribute", expiryOf(found) ?? "none", TABLE.TimeToLiveSpecification.AttributeName],
    ["point-in-time recovery", recovery, "on"],
    // Replication between regions keeps neither transactions nor conditions.
    ["replication", replicas.length === 0 ? "off" : `to ${replicas.join(", ")}`, "off"],
  ];
  return aspects
    .filter(([, is, wanted]) => is !== wanted)
    .map(([what, is, wanted]) => `${what} is ${is}, should be ${wanted}`);
};

/**
 * Compares the table with the shape that the store needs and returns every difference; changes nothing.
 *
 * @example
 * ```ts
 * const differences = await checkTable({ region: "eu-central-1" }, "postern");
 * if (differences.isOk()) for (const difference of differences.value) console.warn(difference);
 * ```
 */
export const checkTable = async (
  location: DynamoLocation,
  table: string,
): Promise<Result<readonly string[], TableError>> => {
  const client = tableClient(location);
  try {
    return ok(differences(await describeTable(client, table)));
  } catch (error) {
    return err(await tableError(client, error));
  } finally {
    client.destroy();
  }
};
