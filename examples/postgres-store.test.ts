import { testStore } from "@postern/adapter-contracts/vitest";
import { vi } from "vitest";
import { openPostgresStore } from "./open-postgres-store.ts";

// The longest checks take several seconds; vitest allows 5 by default.
vi.setConfig({ testTimeout: 120_000 });

testStore("postgresStore", openPostgresStore);
