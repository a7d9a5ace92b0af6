import { BatchWriteCommand, DynamoDBDocumentClient, paginateScan } from "@aws-sdk/lib-dynamodb";
import { dynamoStore } from "@postern/adapter-dynamodb";
import type { Store } from "@postern/core";
import type { DynamoDbLocal } from "@postern/test-support/dynamodb-local";
import { z } from "zod";
import { type FaultProxy, faultProxy } from "./fault-proxy.ts";
import { fill, NOW } from "./fault-proxy-operations.ts";

const Item = z.looseObject({ pk: z.string(), sk: z.string() });
type Item = z.output<typeof Item>;

/** A table of its own with what `fill` puts there, which all stores reach by way of `proxy` only. */
export type World = {
  /** As a server has it. */
  readonly store: Store;
  /** One that gives up requests as `store` does, but goes on for longer than any fault lasts. */
  readonly persistent: Store;
  /** One that waits for every answer, so that a busy machine is no fault. Not for faults that are silence. */
  readonly patient: Store;
  readonly proxy: FaultProxy;
  /** Every item there is, whatever it is for, in the order of their keys; read past the proxy. */
  content(): Promise<readonly Item[]>;
  /** Puts the table back to what it was at first. */
  reset(): Promise<void>;
  close(): Promise<void>;
};

export const openWorld = async (dynamodb: DynamoDbLocal): Promise<World> => {
  const table = await dynamodb.newTable();
  const proxy = await faultProxy(dynamodb.endpoint);
  const options = { table, clock: { now: () => NOW }, onCorruptItem: () => {} };
  const direct = dynamodb.client();
  const documents = DynamoDBDocumentClient.from(direct);

  const content = async (): Promise<readonly Item[]> => {
    const items: Item[] = [];
    for await (const page of paginateScan(
      { client: documents },
      { TableName: table, ConsistentRead: true },
    )) {
      items.push(...z.array(Item).parse(page.Items));
    }
    return items.toSorted((a, b) => (`${a.pk} ${a.sk}` < `${b.pk} ${b.sk}` ? -1 : 1));
  };

  const PATIENCE = 20_000;
  const store = dynamoStore({ client: dynamodb.client(proxy.endpoint), ...options });
  const persistent = dynamoStore({
    client: dynamodb.client(proxy.endpoint),
    ...options,
    patience: PATIENCE,
  });
  const patient = dynamoStore({
    client: dynamodb.patientClient(proxy.endpoint),
    ...options,
    patience: PATIENCE,
  });
  await fill(patient);
  const first = await content();

  return {
    store,
    persistent,
    patient,
    proxy,
    content,
    reset: async () => {
      const isFirst = ({ pk, sk }: Item) => first.some((item) => item.pk === pk && item.sk === sk);
      const added = (await content()).filter((item) => !isFirst(item));
      const requests = [
        ...first.map((item) => ({ PutRequest: { Item: item } })),
        ...added.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })),
      ];
      await documents.send(new BatchWriteCommand({ RequestItems: { [table]: requests } }));
    },
    close: async () => {
      for (const each of [store, persistent, patient]) each.close();
      await proxy.close();
      direct.destroy();
    },
  };
};
