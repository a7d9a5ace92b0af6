import { readFileSync } from "node:fs";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { expect, test } from "vitest";
import { COSTS_DOCUMENT, withMailCosts } from "../../../scripts/mail-costs.ts";

test("docs/dynamodb.md says what a message costs", async () => {
  const document = readFileSync(COSTS_DOCUMENT, "utf8");
  // If this fails: npx -y pnpm@12 mail-costs
  expect(await withMailCosts(document, await sharedDynamoDb())).toBe(document);
});
