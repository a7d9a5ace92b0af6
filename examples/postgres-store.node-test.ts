import { test } from "node:test";
import { contract } from "@postern/adapter-contracts";
import { openPostgresStore } from "./open-postgres-store.ts";

for (const { name, run } of contract) {
  test(name, (t) => run(openPostgresStore, (reason) => t.skip(reason)));
}
