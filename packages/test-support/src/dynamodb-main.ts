import { startDynamoDbLocal } from "./dynamodb-local.ts";

/* Runs DynamoDB Local, sends its location to the parent process, and stops when that process ends for any reason. */

const dynamo = await startDynamoDbLocal("all-tests");
process.on("disconnect", dynamo.stop);
process.send?.(dynamo.location);
