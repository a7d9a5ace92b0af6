import { readFileSync, writeFileSync } from "node:fs";
import { startDynamoDbLocal } from "../packages/test-support/src/dynamodb-local.ts";
import { COSTS_DOCUMENT, withMailCosts } from "./mail-costs.ts";

const dynamo = await startDynamoDbLocal("short");
writeFileSync(COSTS_DOCUMENT, await withMailCosts(readFileSync(COSTS_DOCUMENT, "utf8"), dynamo));
await dynamo.stop();
