import { BatchWriteCommand, DeleteCommand, DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { dynamoClient, dynamoStore } from "@postern/adapter-dynamodb";
import type { Store } from "@postern/core";
import type { DynamoDb } from "@postern/test-support/dynamodb-local";
import { Key } from "../../src/table.ts";
import { type FaultProxy, faultProxy } from "./fault-proxy.ts";
import { fill, NOW, OLD_ACCOUNT } from "./fault-proxy-operations.ts";
import { type Item, putAll, scan } from "./items.ts";

/** A table that contains what `fill` stores. All stores reach it only through `proxy`. */
export type World = {
  readonly initial: readonly Item[];
  /** With the timeouts of a server. */
  readonly store: Store;
  /** With short timeouts. */
  readonly shortDeadline: Store;
  /** With the request timeouts of `store`, but a deadline beyond the duration of any fault. */
  readonly longDeadline: Store;
  /** Without request timeouts, so that a busy machine does not count as a fault. Hangs on silent faults. */
  readonly noRequestTimeout: Store;
  readonly proxy: FaultProxy;
  /** Every item in the table, in key order, read directly rather than through the proxy. */
  content(): Promise<readonly Item[]>;
  /** Restores the table to its initial content. */
  reset(): Promise<void>;
  close(): Promise<void>;
};

const LONG_TIMEOUT_MS = 20_000;

/** @param initial what an earlier world contains: storing that is quicker than repeating all calls of `fill` */
export const openWorld = async (dynamodb: DynamoDb, initial?: readonly Item[]): Promise<World> => {
  const table = await dynamodb.newTable();
  const proxy = await faultProxy(dynamodb.endpoint);
  const options = { table, clock: { now: () => NOW }, onCorruptItem: () => {} };
  const direct = dynamodb.client();
  const documents = DynamoDBDocumentClient.from(direct);

  const content = async (): Promise<readonly Item[]> =>
    (await scan(documents, table)).toSorted((a, b) => (`${a.pk} ${a.sk}` < `${b.pk} ${b.sk}` ? -1 : 1));

  const { endpoint } = proxy;
  const store = dynamoStore({ client: dynamodb.serverClient(endpoint), ...options });
  const shortDeadline = dynamoStore({
    client: dynamoClient({ ...dynamodb.location, endpoint }, 150),
    ...options,
    timeoutMs: 500,
  });
  const longDeadline = dynamoStore({
    client: dynamodb.serverClient(endpoint),
    ...options,
    timeoutMs: LONG_TIMEOUT_MS,
  });
  const noRequestTimeout = dynamoStore({
    client: dynamodb.client(endpoint),
    ...options,
    timeoutMs: LONG_TIMEOUT_MS,
  });
  if (initial === undefined) {
    await fill(noRequestTimeout);
    for (const kind of ["aliases", "recipients"] as const) {
      const { pk, sk } = Key.usage(OLD_ACCOUNT, kind);
      await documents.send(new DeleteCommand({ TableName: table, Key: { pk, sk } }));
    }
  } else {
    await putAll(documents, table, initial);
  }
  const first = initial ?? (await content());

  return {
    initial: first,
    store,
    shortDeadline,
    longDeadline,
    noRequestTimeout,
    proxy,
    content,
    reset: async () => {
      const isFirst = ({ pk, sk }: Item) => first.some((item) => item.pk === pk && item.sk === sk);
      const added = (await content()).filter((item) => !isFirst(item));
      const requests = [
        ...first.map((item) => ({ PutRequest: { Item: item } })),
        ...added.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })),
      ];
      for (let n = 0; n < requests.length; n += 25) {
        const batch = requests.slice(n, n + 25);
        await documents.send(new BatchWriteCommand({ RequestItems: { [table]: batch } }));
      }
    },
    close: async () => {
      for (const each of [store, shortDeadline, longDeadline, noRequestTimeout]) each.close();
      await proxy.close();
      direct.destroy();
    },
  };
};
