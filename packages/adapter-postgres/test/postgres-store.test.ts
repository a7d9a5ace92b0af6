import { testStore } from "@postern/adapter-contracts/vitest";
import { openStore, usePostgres } from "./support/use-postgres.ts";

const postgres = usePostgres();

testStore("postgresStore", async () => {
  const store = await openStore(await postgres().newDatabase());
  return { store, close: () => store.close() };
});
