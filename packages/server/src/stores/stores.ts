import type { StoreConfiguration } from "../configuration.ts";
import type { OpenStore } from "../opened-store.ts";
import { openDynamodb } from "./dynamodb.ts";
import { openMemory } from "./memory.ts";
import { openSqlite } from "./sqlite.ts";

/** How each store is opened. */
export const stores = {
  memory: openMemory,
  sqlite: openSqlite,
  dynamodb: openDynamodb,
} satisfies Record<StoreConfiguration["store"], OpenStore>;
