import { inject } from "vitest";
import * as z from "zod";
import { type DynamoDb, dynamoDbAt } from "./dynamodb-local.ts";

const location = z.object({
  endpoint: z.string(),
  region: z.string(),
  credentials: z.object({ accessKeyId: z.string(), secretAccessKey: z.string() }),
});

/** By the URL that was asked for it: files that share a worker also share the table that newTable copies. */
const found = new Map<string, DynamoDb>();

/** The DynamoDB Local that all test files of a project share: each uses its own tables. */
export const sharedDynamoDb = async (): Promise<DynamoDb> => {
  const url = inject("dynamoDb");
  const known = found.get(url);
  if (known !== undefined) return known;
  const response = await fetch(url);
  const answer = location.safeParse(await response.json());
  if (!answer.success) throw new Error("DynamoDB Local did not start: see the beginning of the output");
  const dynamo = dynamoDbAt(answer.data);
  found.set(url, dynamo);
  return dynamo;
};
