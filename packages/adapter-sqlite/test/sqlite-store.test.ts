import { testStore } from "@postern/adapter-contracts/vitest";
import { sqliteStore } from "@postern/adapter-sqlite";
import { testPorts, valueOf } from "@postern/core/testing";
import { newPath } from "./support/directory.ts";

const open = async (path: string) => {
  const store = valueOf(sqliteStore({ path, clock: testPorts().clock }));
  return { store, close: async () => store.close() };
};

testStore("sqliteStore in memory", () => open(":memory:"));

testStore("sqliteStore in a file", () => open(newPath()));
