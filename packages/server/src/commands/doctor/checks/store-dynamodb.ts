import { setTimeout } from "node:timers/promises";
import { checkAccess, checkTable, dynamoClient, readTable, type TableError } from "@postern/adapter-dynamodb";
import type { StoreConfiguration } from "../../../configuration/configuration.ts";
import { dynamoLocation } from "../../../stores/dynamo-location.ts";
import { explainTableError } from "../../../stores/explain-table-error.ts";
import { type Finding, fine, together, warning, wrong } from "../check.ts";
import { skippedAfter } from "../skipped.ts";
import { INTEGRITY, STORE, WRITES } from "./store-names.ts";

/** Limits `checkTable`, which makes several attempts itself, each of which can take longer. */
const DESCRIBE_TIMEOUT_MS = 5_000;

/** The explanation says what is wrong and, after a colon, what to do. */
const failed = (check: string, error: TableError, configuration: StoreConfiguration): Finding => {
  const explained = explainTableError(error, configuration);
  const [found = explained, action = "Look up the error in the AWS documentation"] =
    explained.split(/: (?=[a-z`])/);
  return wrong(check, found, action.charAt(0).toUpperCase() + action.slice(1));
};

const allowed = (errors: readonly TableError[], configuration: StoreConfiguration): Finding =>
  errors.length === 0
    ? fine(
        WRITES,
        "all actions that the server needs are allowed (tried with conditional writes that change nothing)",
      )
    : together(
        WRITES,
        errors.map((error) => failed(WRITES, error, configuration)),
      );

const shape = async (configuration: StoreConfiguration): Promise<Finding> => {
  const { dynamodbTable: table } = configuration;
  const differences = await Promise.race([
    checkTable(dynamoLocation(configuration), table),
    setTimeout(DESCRIBE_TIMEOUT_MS, null, { ref: false }),
  ]);
  if (differences === null) {
    return warning(
      INTEGRITY,
      `the table could not be described within ${DESCRIBE_TIMEOUT_MS / 1000} seconds`,
      "Run `table check`, which waits longer",
    );
  }
  if (differences.isErr()) {
    const { reason, permission } = differences.error;
    return warning(
      INTEGRITY,
      `the table cannot be described with these credentials (${permission ?? reason}), which the server does not need`,
      "Run `table check` with credentials that may describe it",
    );
  }
  if (differences.value.length === 0) {
    return fine(
      INTEGRITY,
      "keys, billing mode, expiry and point-in-time recovery of the table are as required",
    );
  }
  return warning(
    INTEGRITY,
    `the table is not as required: ${differences.value.join("; ")}`,
    "Run `table create`, which turns on expiry and recovery and keeps the data; see docs/dynamodb.md for the rest",
  );
};

const NOT_MIGRATED = warning(
  INTEGRITY,
  "searches have no index in this table, and scan aliases instead: it has not been migrated",
  "Run `table migrate` once all servers have this version",
);

export const checkDynamodbStore = async (configuration: StoreConfiguration): Promise<readonly Finding[]> => {
  const { dynamodbTable: table, dynamodbEndpoint: endpoint } = configuration;
  const client = dynamoClient(dynamoLocation(configuration));
  try {
    const read = await readTable(client, table);
    if (read.isErr()) {
      return [failed(STORE, read.error, configuration), ...skippedAfter([WRITES, INTEGRITY], STORE)];
    }
    const { region, searchable } = read.value;
    const where = `${region}${endpoint === undefined ? "" : ` at ${endpoint}`}`;
    const [errors, described] = await Promise.all([checkAccess(client, table), shape(configuration)]);
    return [
      fine(STORE, `the DynamoDB table ${table} in ${where} can be read`),
      allowed(errors, configuration),
      searchable ? described : together(INTEGRITY, [described, NOT_MIGRATED]),
    ];
  } finally {
    client.destroy();
  }
};
