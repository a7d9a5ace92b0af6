import type { StoreConfiguration } from "../configuration/configuration.ts";
import { openDynamodb } from "./dynamodb.ts";
import { openMemory } from "./memory.ts";
import type { OpenStore } from "./open-store.ts";
import { openPostgres } from "./postgres.ts";
import { openSqlite } from "./sqlite.ts";

/** How to open each store. */
export const stores = {
  memory: openMemory,
  sqlite: openSqlite,
  postgres: openPostgres,
  dynamodb: openDynamodb,
} satisfies Record<StoreConfiguration["store"], OpenStore>;
