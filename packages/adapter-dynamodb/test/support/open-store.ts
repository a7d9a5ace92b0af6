import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { dynamoStore } from "@postern/adapter-dynamodb";
import type { Clock } from "@postern/core";
import { expect } from "vitest";

export type OpenStore = ReturnType<typeof dynamoStore>;

/**
 * A store on the table. The keys of corrupt items are added to `reported`; without it, a corrupt item fails the test.
 */
export const openStore = (
  client: DynamoDBClient,
  table: string,
  {
    clock = Date,
    reported,
    // Hundreds of concurrent calls are nothing for DynamoDB, but a lot for DynamoDB Local.
    timeoutMs = 30_000,
  }: { clock?: Pick<Clock, "now">; reported?: string[]; timeoutMs?: number } = {},
): OpenStore =>
  dynamoStore({
    client,
    table,
    clock,
    onCorruptItem: ({ pk, sk }) => {
      if (reported === undefined) expect.unreachable(`the item at ${pk} ${sk} is corrupt`);
      reported.push(`${pk} ${sk}`);
    },
    timeoutMs,
  });
