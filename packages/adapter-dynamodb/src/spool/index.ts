export { createSpoolTable } from "./create-spool-table.ts";
export { type DynamoSpool, type DynamoSpoolOptions, dynamoSpool } from "./dynamo-spool.ts";
export type { SpoolInUse } from "./lease.ts";
export { type S3Location, s3Client } from "./s3-client.ts";
