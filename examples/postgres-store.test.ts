import { testStore } from "@postern/adapter-contracts/vitest";
import { openPostgresStore } from "./open-postgres-store.ts";

// The longest checks take several seconds; vitest allows 5 by default.

testStore("postgresStore", openPostgresStore);
