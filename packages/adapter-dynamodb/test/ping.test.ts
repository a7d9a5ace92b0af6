import { dynamoStore } from "@postern/adapter-dynamodb";
import { valueOf } from "@postern/core/testing";
import type { DynamoDb } from "@postern/test-support/dynamodb-local";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { faultProxy } from "./support/fault-proxy.ts";
import { ACCOUNT } from "./support/samples.ts";

let dynamo: DynamoDb;
beforeAll(async () => {
  dynamo = await sharedDynamoDb();
});

test.for(["PutItem", "GetItem"])(
  "a ping is unavailable while DynamoDB refuses %s, and then ok again",
  async (operation) => {
    const table = await dynamo.newTable();
    let refuses = false;
    // DynamoDB refuses the request itself, because there is no such table.
    const proxy = await faultProxy(dynamo.endpoint, (body, sent) =>
      refuses && sent === operation ? Buffer.from(body.toString().replace(table, "no-such-table")) : body,
    );
    const store = dynamoStore({
      client: dynamo.client(proxy.endpoint),
      table,
      clock: Date,
      onCorruptItem: () => expect.unreachable("no item is corrupt"),
    });
    onTestFinished(async () => {
      store.close();
      await proxy.close();
    });
    valueOf(await store.ping());
    refuses = true;
    expect(await store.ping()).toMatchObject({ error: { code: "unavailable" } });
    const page = { limit: 10, after: null };
    valueOf(await store.recipients.list(ACCOUNT, page));
    refuses = false;
    valueOf(await store.ping());
    // The ping's item belongs to no account.
    expect(valueOf(await store.accounts(page))).toEqual({ items: [], next: null });
  },
);
