import { inject } from "vitest";
import * as z from "zod";
import { type DynamoDb, dynamoDbAt } from "./dynamodb-local.ts";

const location = z.object({
  endpoint: z.string(),
  region: z.string(),
  credentials: z.object({ accessKeyId: z.string(), secretAccessKey: z.string() }),
});

/** The DynamoDB Local that all test files of a project share: each uses its own tables. */
export const sharedDynamoDb = async (): Promise<DynamoDb> => {
  const response = await fetch(inject("dynamoDb"));
  const found = location.safeParse(await response.json());
  if (!found.success) throw new Error("DynamoDB Local did not start: see the beginning of the output");
  return dynamoDbAt(found.data);
};
