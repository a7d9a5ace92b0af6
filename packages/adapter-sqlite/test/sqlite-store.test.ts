import { testStore } from "@postern/adapter-contracts";
import { sqliteStore } from "@postern/adapter-sqlite";
import { testPorts } from "@postern/core/testing";
import { newPath } from "./support/directory.ts";

const opened = async (path: string) => {
  const store = sqliteStore({ path, clock: testPorts().clock })._unsafeUnwrap();
  return { store, close: async () => store.close() };
};

testStore("sqliteStore in memory", () => opened(":memory:"));

testStore("sqliteStore in a file", () => opened(newPath()));
