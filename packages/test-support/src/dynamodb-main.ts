import { startDynamoDbLocal } from "./dynamodb-local.ts";

/* A DynamoDB that says where it is, and ends with the process that started it, however that ends. */

const dynamo = await startDynamoDbLocal();
process.on("disconnect", dynamo.stop);
process.send?.(dynamo.location);
