import { dynamoClient, dynamoStore, readTable } from "@postern/adapter-dynamodb";
import { err, ok } from "@postern/core";
import { systemClock } from "@postern/node";
import { dynamoLocation } from "./dynamo-location.ts";
import { explainTableError } from "./explain-table-error.ts";
import type { OpenStore } from "./open-store.ts";

/** How many attempts at a request fit into the time for a call, even if DynamoDB does not respond to the earlier ones. */
const ATTEMPTS = 3;

/** Reads the table first, as the store will, so that a server needs no other permissions. */
export const openDynamodb: OpenStore = async (configuration, logger, _creation, timeoutMs) => {
  const { dynamodbTable: table, dynamodbEndpoint: endpoint } = configuration;
  const client = dynamoClient(
    dynamoLocation(configuration),
    timeoutMs === undefined ? undefined : timeoutMs / ATTEMPTS,
  );
  const read = await readTable(client, table);
  if (read.isErr()) {
    client.destroy();
    return err({ code: "cannot_open_store", message: explainTableError(read.error, configuration) });
  }
  // The partition key can contain the id of an account.
  const onCorruptItem = ({ sk }: { readonly sk: string }) =>
    logger.error({ table, sortKey: sk }, "item cannot be decoded");
  const store = dynamoStore({
    client,
    table,
    clock: systemClock,
    onCorruptItem,
    timeoutMs,
  });
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
