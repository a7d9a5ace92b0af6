import type { DynamoDb } from "@postern/test-support/dynamodb-local";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startPatient } from "./support/doctor.ts";
import { forgetSearchable } from "./support/dynamodb-request.ts";
import { startPermissionProxy } from "./support/permission-proxy.ts";

/* `doctor` on DynamoDB, with everything in order and with faults. */

let patient: Awaited<ReturnType<typeof startPatient>>;
let dynamoDb: DynamoDb;
beforeAll(async () => {
  [patient, dynamoDb] = await Promise.all([startPatient(), sharedDynamoDb()]);
});
afterAll(() => patient.stop());

const variablesFor = (POSTERN_DYNAMODB_ENDPOINT: string, POSTERN_DYNAMODB_TABLE: string) => ({
  POSTERN_STORE: "dynamodb",
  POSTERN_DYNAMODB_ENDPOINT,
  POSTERN_DYNAMODB_TABLE,
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: "local",
  AWS_SECRET_ACCESS_KEY: "private-aws-secret",
});

const SERVER = ["BatchGetItem", "DeleteItem", "GetItem", "PutItem", "Query", "UpdateItem"];
const DESCRIBE = ["DescribeContinuousBackups", "DescribeTable", "DescribeTimeToLive"];

const behindProxy = async (...allowed: readonly string[]) => {
  const proxy = await startPermissionProxy(dynamoDb.endpoint, allowed);
  onTestFinished(proxy.stop);
  const examined = await patient.examine(variablesFor(proxy.endpoint, await dynamoDb.newTable()));
  return { ...examined, proxy };
};

test("a table as it should be", async () => {
  const table = await dynamoDb.newTable();
  const { of, status } = await patient.examine(variablesFor(dynamoDb.endpoint, table));
  expect(of("store")).toMatchObject({
    status: "ok",
    found: expect.stringContaining(`table ${table} in eu-central-1 at`),
  });
  expect(of("store-writes")).toMatchObject({ status: "ok" });
  expect(of("store-integrity")).toMatchObject({ status: "ok" });
  expect(of("disk")).toMatchObject({ status: "ok", found: "not used: POSTERN_STORE is dynamodb" });
  expect(status).toBe(0);
});

test("with a server's permissions, only describing the table fails", async () => {
  const { of, status, proxy } = await behindProxy(...SERVER);
  expect(of("store-writes")).toMatchObject({ status: "ok" });
  expect(of("store-integrity")).toMatchObject({
    status: "warning",
    found:
      "the table cannot be described with these credentials (dynamodb:DescribeTable), which the server does not need",
  });
  expect(status).toBe(0);
  expect(proxy.used()).toEqual(SERVER);
});

test("a table whose searches have no index, with any permissions", async () => {
  const table = await dynamoDb.newTable();
  await forgetSearchable(dynamoDb.endpoint, table);
  const found = "searches have no index in this table, and scan aliases instead: it has not been migrated";
  const { of, status } = await patient.examine(variablesFor(dynamoDb.endpoint, table));
  expect(of("store-integrity")).toEqual({
    check: "store-integrity",
    status: "warning",
    found,
    action: "Run `table migrate` once all servers have this version",
  });
  expect(status).toBe(0);

  const proxy = await startPermissionProxy(dynamoDb.endpoint, SERVER);
  onTestFinished(proxy.stop);
  const limited = await patient.examine(variablesFor(proxy.endpoint, table));
  expect(limited.of("store-integrity").found).toMatch(/^the table cannot be described .*; searches have no/);
  expect(proxy.used()).toEqual(SERVER);
});

test("without some permissions, it names the missing ones", async () => {
  const { of, status } = await behindProxy("GetItem", "Query", "BatchGetItem", "DeleteItem", ...DESCRIBE);
  const { found, action } = of("store-writes");
  expect(found).toMatch(
    /refuses the credentials dynamodb:PutItem .* refuses the credentials dynamodb:UpdateItem/,
  );
  expect(action).toBe("Allow what docs/dynamodb.md lists under Permissions");
  // The proxy's table has no backups.
  expect(of("store-integrity")).toMatchObject({
    status: "warning",
    found: "the table is not as required: point-in-time recovery is off, should be on",
  });
  expect(status).toBe(1);
});

test("a table that does not exist, and a DynamoDB that does not respond", async () => {
  const missing = await patient.examine(variablesFor(dynamoDb.endpoint, "no-table"));
  expect(missing.of("store")).toMatchObject({
    status: "wrong",
    found: `The DynamoDB table no-table in eu-central-1 at ${dynamoDb.endpoint} does not exist`,
    action: "Create it with `table create`, or correct POSTERN_DYNAMODB_TABLE or AWS_REGION",
  });
  expect(missing.of("store-writes").found).toMatch(/^skipped/);
  const silent = await patient.examine(variablesFor("http://127.0.0.1:9", "no-table"));
  expect(silent.of("store")).toMatchObject({
    status: "wrong",
    found: expect.stringContaining("ECONNREFUSED"),
  });
});
