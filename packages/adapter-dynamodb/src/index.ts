export { checkAccess } from "./check-access.ts";
export { checkTable } from "./check-table.ts";
export { type DynamoLocation, dynamoClient } from "./client.ts";
export { createTable } from "./create-table.ts";
export { type DynamoStore, type DynamoStoreOptions, dynamoStore } from "./dynamo-store.ts";
export { type Migrated, migrateTable } from "./migrate-table.ts";
export { readTable } from "./read-table.ts";
export type { Key } from "./table.ts";
export type { TableError } from "./table-error.ts";
