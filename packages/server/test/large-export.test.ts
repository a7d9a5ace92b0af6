import { once } from "node:events";
import { createInterface } from "node:readline";
import { dynamoStore } from "@postern/adapter-dynamodb";
import { NO_LIMITS } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { startDynamoDbLocal } from "@postern/test-support/dynamodb-local";
import { expect, onTestFinished, test } from "vitest";
import { fillTable } from "../../adapter-dynamodb/test/support/fill-table.ts";
import { recipient } from "../../adapter-dynamodb/test/support/samples.ts";
import { startWithOutput } from "./support/run-command.ts";

const ALIASES = 100_000;

/** In MiB. What is exported takes several times as much. */
const HEAP = 64;

// Minutes, most of which it takes to write the table.
test.skipIf(process.env["POSTERN_MANY_ALIASES"] === undefined)(
  "exports 100,000 aliases and 100,000 events from DynamoDB, in constant memory",
  { timeout: 3_600_000 },
  async () => {
    const dynamoDb = await startDynamoDbLocal();
    onTestFinished(dynamoDb.stop);
    const table = await dynamoDb.newTable();
    const client = dynamoDb.client();
    const store = dynamoStore({
      client,
      table,
      clock: Date,
      onCorruptItem: () => expect.unreachable("no item is corrupt"),
    });
    onTestFinished(store.close);
    valueOf(await store.recipients.create(recipient("owner"), NO_LIMITS));
    await fillTable(client, table, ALIASES);

    const child = startWithOutput(
      {
        POSTERN_STORE: "dynamodb",
        POSTERN_DYNAMODB_ENDPOINT: dynamoDb.endpoint,
        POSTERN_DYNAMODB_TABLE: table,
        AWS_REGION: "eu-central-1",
        AWS_ACCESS_KEY_ID: "local",
        AWS_SECRET_ACCESS_KEY: "local",
        NODE_OPTIONS: `--max-old-space-size=${HEAP}`,
      },
      "export",
    );
    const exited = once(child, "exit");
    const kinds = new Map<string, number>();
    for await (const line of createInterface({ input: child.stdout })) {
      const [, kind = "none"] = /^\{"postern":\d+,"kind":"(\w+)"/.exec(line) ?? [];
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    expect(Object.fromEntries(kinds)).toEqual({ recipient: 1, alias: ALIASES });
    expect(await exited).toEqual([0, null]);
  },
);
