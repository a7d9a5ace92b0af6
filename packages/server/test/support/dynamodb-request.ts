import { expect } from "vitest";

/** DynamoDB Local does not check the signature. */
const AUTHORIZATION =
  "AWS4-HMAC-SHA256 Credential=local/20260101/eu-central-1/dynamodb/aws4_request, SignedHeaders=host, Signature=unchecked";

/** Sends a request to DynamoDB Local directly, such as `PutItem`, which must succeed. */
export const requestDynamoDb = async (
  endpoint: string,
  operation: string,
  parameters: object,
): Promise<void> => {
  const response = await fetch(endpoint, {
    method: "POST",
    headers: {
      "x-amz-target": `DynamoDB_20120810.${operation}`,
      authorization: AUTHORIZATION,
      "content-type": "application/x-amz-json-1.0",
    },
    body: JSON.stringify(parameters),
  });
  expect([response.status, response.ok ? null : await response.text()]).toEqual([200, null]);
};

/** Makes the table look like one from before there were search items, or one that CloudFormation has created. */
export const forgetSearchable = (endpoint: string, table: string): Promise<void> =>
  requestDynamoDb(endpoint, "DeleteItem", {
    TableName: table,
    Key: { pk: { S: "migration" }, sk: { S: "search" } },
  });
