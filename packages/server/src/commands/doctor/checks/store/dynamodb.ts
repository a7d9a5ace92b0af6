import { checkAccess, checkTable, dynamoClient, readTable, type TableError } from "@postern/adapter-dynamodb";
import type { StoreConfiguration } from "../../../../configuration/configuration.ts";
import { dynamoLocation } from "../../../../stores/dynamo-location.ts";
import { explainTableError } from "../../../../stores/explain-table-error.ts";
import { inTime, LATE } from "../../../../system/in-time.ts";
import { type Found, fine, together, warning, wrong } from "../../check.ts";
import { onlyStore, type StoreFindings } from "./findings.ts";

/** Limits `checkTable`, which makes several attempts itself, each of which can take longer. */
const DESCRIBE_TIMEOUT_MS = 5_000;

/** The explanation says what is wrong and, after a colon, what to do. */
const failed = (error: TableError, configuration: StoreConfiguration): Found => {
  const explained = explainTableError(error, configuration);
  const [found = explained, action = "Look up the error in the AWS documentation"] =
    explained.split(/: (?=[a-z`])/);
  return wrong(found, action.charAt(0).toUpperCase() + action.slice(1));
};

const described = async (configuration: StoreConfiguration): Promise<Found> => {
  const check = checkTable(dynamoLocation(configuration), configuration.dynamodbTable);
  const differences = await inTime(check, DESCRIBE_TIMEOUT_MS);
  if (differences === LATE) {
    return warning(
      `the table could not be described within ${DESCRIBE_TIMEOUT_MS / 1000} seconds`,
      "Run `table check`, which waits longer",
    );
  }
  return differences.match(
    (all) =>
      all.length === 0
        ? fine("keys, billing mode, expiry and point-in-time recovery of the table are as required")
        : warning(
            `the table is not as required: ${all.join("; ")}`,
            "Run `table create`, which turns on expiry and recovery and keeps the data; see docs/dynamodb.md for the rest",
          ),
    ({ reason, permission }) =>
      warning(
        `the table cannot be described with these credentials (${permission ?? reason}), which the server does not need`,
        "Run `table check` with credentials that may describe it",
      ),
  );
};

const NOT_MIGRATED = warning(
  "searches have no index in this table, and scan aliases instead: it has not been migrated",
  "Run `table migrate` once all servers have this version",
);

const ALLOWED =
  "all actions that the server needs are allowed (tried with conditional writes that change nothing)";

export const checkDynamodbStore = async (configuration: StoreConfiguration): Promise<StoreFindings> => {
  const { dynamodbTable: table, dynamodbEndpoint: endpoint } = configuration;
  const client = dynamoClient(dynamoLocation(configuration));
  try {
    const read = await readTable(client, table);
    if (read.isErr()) return onlyStore(failed(read.error, configuration));
    const { region, searchable } = read.value;
    const where = `${region}${endpoint === undefined ? "" : ` at ${endpoint}`}`;
    const [refused, shape] = await Promise.all([checkAccess(client, table), described(configuration)]);
    return {
      store: fine(`the DynamoDB table ${table} in ${where} can be read`),
      "store-writes":
        refused.length === 0
          ? fine(ALLOWED)
          : together(...refused.map((error) => failed(error, configuration))),
      "store-integrity": searchable ? shape : together(shape, NOT_MIGRATED),
    };
  } finally {
    client.destroy();
  }
};
