export { inspectPostgres, type PostgresDatabase, type PostgresLocation } from "./check-postgres.ts";
export type { OpenError } from "./open-error.ts";
export { type PostgresStore, type PostgresStoreOptions, postgresStore } from "./postgres-store.ts";
export { type InvalidUrl, isLocal, type PostgresUrl, parsePostgresUrl } from "./postgres-url.ts";
