import type { StoreConfiguration } from "../configuration/configuration.ts";
import type { OpenStore } from "./open-store.ts";

/** How to open each store. Only the one that is opened is loaded: the DynamoDB client alone takes 100 ms of CPU time. */
export const stores = {
  memory: async (...input) => (await import("./memory.ts")).openMemory(...input),
  sqlite: async (...input) => (await import("./sqlite.ts")).openSqlite(...input),
  postgres: async (...input) => (await import("./postgres.ts")).openPostgres(...input),
  dynamodb: async (...input) => (await import("./dynamodb.ts")).openDynamodb(...input),
} satisfies Record<StoreConfiguration["store"], OpenStore>;
