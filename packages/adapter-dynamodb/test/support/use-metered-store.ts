import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { type Meter, startMeter } from "./meter.ts";
import { type OpenStore, openStore } from "./open-store.ts";
import { useDynamoDb } from "./use-dynamodb.ts";

/**
 * DynamoDB Local and, for each test, a store on a new table with its requests metered. All exist only within hooks and tests.
 *
 * @param reported gets the keys of corrupt items, as with `openStore`
 */
export const useMeteredStore = (reported?: string[]) => {
  const { dynamo, documents } = useDynamoDb();
  let meter: Meter;
  let table: string;
  let store: OpenStore;
  beforeAll(async () => {
    meter = await startMeter(dynamo().endpoint);
  });
  afterAll(() => meter.close());
  beforeEach(async () => {
    table = await dynamo().newTable();
    store = openStore(dynamo().client(meter.endpoint), table, reported === undefined ? {} : { reported });
  });
  afterEach(() => store.close());
  return {
    dynamo,
    documents,
    table: () => table,
    store: () => store,
    /** The requests since the previous call. */
    metered: () => meter.read(),
  };
};
