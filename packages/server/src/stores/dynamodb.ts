import { checkTable, dynamoClient, dynamoStore } from "@postern/adapter-dynamodb";
import { err, ok } from "@postern/core";
import { systemClock } from "@postern/node";
import { dynamoLocation } from "./dynamo-location.ts";
import type { OpenStore } from "./open-store.ts";

/** Checks the table first, by its description only: no item is read. */
export const openDynamodb: OpenStore = async (configuration, logger) => {
  const { dynamodbTable: table } = configuration;
  const location = dynamoLocation(configuration);
  const differences = await checkTable(location, table);
  if (differences.isErr()) {
    const message = `The DynamoDB table ${table} cannot be used (${differences.error.reason})`;
    return err({ code: "cannot_open_store", message });
  }
  for (const difference of differences.value) logger.warn({ table, difference }, "table differs");
  // The partition key can contain the id of an account.
  const onCorruptItem = ({ sk }: { readonly sk: string }) =>
    logger.error({ table, sortKey: sk }, "item cannot be decoded");
  return ok(dynamoStore({ client: dynamoClient(location), table, clock: systemClock, onCorruptItem }));
};
