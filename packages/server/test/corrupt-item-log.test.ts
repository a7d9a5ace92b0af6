import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { parseAccountId, parseAliasId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { openDynamodb } from "../src/stores/dynamodb.ts";

/** A DynamoDB whose items all have a newer version. */
const startNewerDynamodb = async (): Promise<string> => {
  const server = createServer(async (request, response) => {
    const operation = String(request.headers["x-amz-target"]).split(".")[1];
    const body = (await json(request)) as {
      readonly RequestItems?: Readonly<Record<string, { readonly Keys: readonly object[] }>>;
    };
    const items = Object.entries(body.RequestItems ?? {}).map(([table, { Keys }]) => [
      table,
      Keys.map((key) => ({ ...key, schema: { N: "2" } })),
    ]);
    response.setHeader("content-type", "application/x-amz-json-1.0");
    response.end(
      JSON.stringify(operation === "BatchGetItem" ? { Responses: Object.fromEntries(items) } : { Table: {} }),
    );
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

test("an item that cannot be decoded is logged by its sort key, which does not contain the account", async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "id");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
  const configuration = {
    store: "dynamodb",
    sqlitePath: "",
    postgresUrl: undefined,
    postgresCaPath: undefined,
    postgresConnections: 10,
    postgresTimeoutMs: 2000,
    dynamodbTable: "postern",
    dynamodbEndpoint: await startNewerDynamodb(),
    awsRegion: "eu-central-1",
  } as const;
  const error = vi.fn();
  const store = valueOf(await openDynamodb(configuration, { warn: () => {}, error }, "must exist"));
  onTestFinished(() => store.close());

  const account = valueOf(parseAccountId("ada@private.example"));
  const id = valueOf(parseAliasId("alias-1"));
  const found = await store.aliases.findWithRecipients(account, id, []);
  expect(found).toMatchObject({ error: { code: "unavailable" } });
  expect(error.mock.calls).toEqual([
    [{ table: "postern", sortKey: "alias#alias-1" }, "item cannot be decoded"],
  ]);
});
