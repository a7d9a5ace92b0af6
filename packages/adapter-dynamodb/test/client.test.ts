import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { dynamoClient } from "../src/index.ts";

test("a client logs nothing, and so does not copy what could be logged", () => {
  const steps = (client: DynamoDBClient) => client.middlewareStack.identify();
  const [logging, ...others] = steps(new DynamoDBClient({ region: "eu-central-1" }));
  expect(logging).toContain("logger");
  expect(steps(dynamoClient({ region: "eu-central-1" }))).toEqual(others);
});
