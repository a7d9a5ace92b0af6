import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { DynamoDb } from "@postern/test-support/dynamodb-local";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { afterAll, beforeAll } from "vitest";

/** DynamoDB Local for all tests of a file, and a client for items. Both exist only within hooks and tests. */
export const useDynamoDb = () => {
  let dynamo: DynamoDb;
  let documents: DynamoDBDocumentClient;
  beforeAll(async () => {
    dynamo = await sharedDynamoDb();
    documents = DynamoDBDocumentClient.from(dynamo.client());
    // The first file of all waits for DynamoDB Local to start.
  });
  afterAll(() => documents.destroy());
  return { dynamo: () => dynamo, documents: () => documents };
};
