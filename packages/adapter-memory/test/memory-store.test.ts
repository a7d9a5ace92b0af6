import { testStore } from "@postern/adapter-contracts/vitest";
import { memoryStore } from "@postern/adapter-memory";

testStore("memoryStore", async () => ({ store: memoryStore(), close: async () => {} }));
