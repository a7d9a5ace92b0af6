import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { type DynamoDbLocal, startDynamoDbLocal } from "@postern/test-support/dynamodb-local";
import { afterAll, beforeAll } from "vitest";

/** DynamoDB Local for all tests of a file, and a client for items. Both exist only within hooks and tests. */
export const useDynamoDb = () => {
  let dynamo: DynamoDbLocal;
  let documents: DynamoDBDocumentClient;
  beforeAll(async () => {
    dynamo = await startDynamoDbLocal();
    documents = DynamoDBDocumentClient.from(dynamo.client());
  });
  afterAll(async () => {
    documents.destroy();
    await dynamo.stop();
  });
  return { dynamo: () => dynamo, documents: () => documents };
};
