import { type DynamoStore, dynamoClient, dynamoStore, readTable } from "@postern/adapter-dynamodb";
import { err, ok } from "@postern/core";
import { systemClock } from "@postern/node";
import type { Logger } from "pino";
import type { StoreConfiguration } from "../configuration/configuration.ts";
import { dynamoLocation } from "./dynamo-location.ts";
import { explainTableError } from "./explain-table-error.ts";
import type { OpenStore } from "./open-store.ts";

/** How many attempts at a request fit into the time for a call, even if DynamoDB does not respond to the earlier ones. */
const ATTEMPTS = 3;

/** The store of a table that has not been read yet. `client` is the store's. */
export const unreadDynamodb = (
  configuration: StoreConfiguration,
  logger: Pick<Logger, "error">,
  timeoutMs?: number,
): { readonly client: ReturnType<typeof dynamoClient>; readonly store: DynamoStore } => {
  const { dynamodbTable: table } = configuration;
  const client = dynamoClient(
    dynamoLocation(configuration),
    timeoutMs === undefined ? undefined : timeoutMs / ATTEMPTS,
  );
  // The partition key can contain the id of an account.
  const onCorruptItem = ({ sk }: { readonly sk: string }) =>
    logger.error({ table, sortKey: sk }, "item cannot be decoded");
  return { client, store: dynamoStore({ client, table, clock: systemClock, onCorruptItem, timeoutMs }) };
};

/** Reads the table first, as the store will, so that a server needs no other permissions. */
export const openDynamodb: OpenStore = async (configuration, logger, _creation, timeoutMs) => {
  const { dynamodbTable: table, dynamodbEndpoint: endpoint } = configuration;
  const { client, store } = unreadDynamodb(configuration, logger, timeoutMs);
  const read = await readTable(client, table);
  if (read.isErr()) {
    store.close();
    return err({ code: "cannot_open_store", message: explainTableError(read.error, configuration) });
  }
  return ok({
    ...store,
    extent: async () => (await store.estimateItems()).map((estimate) => ({ counted: "items", estimate })),
    location: {
      kind: "dynamodb",
      table,
      region: read.value.region,
      ...(endpoint !== undefined && { endpoint }),
    },
  });
};
