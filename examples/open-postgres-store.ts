import { readFileSync } from "node:fs";
import { PGlite } from "@electric-sql/pglite";
import type { OpenStore } from "@postern/adapter-contracts";
import { postgresStore } from "./postgres-store.ts";

const empty = await PGlite.create();
await empty.exec(readFileSync(new URL("postgres-schema.sql", import.meta.url), "utf8"));
const loadDataDir = await empty.dumpDataDir("none");

/** A store in a new, empty database. */
export const openPostgresStore: OpenStore = async () => {
  const driver = await PGlite.create({ loadDataDir });
  return { store: postgresStore({ driver, onError: () => {} }), close: () => driver.close() };
};
