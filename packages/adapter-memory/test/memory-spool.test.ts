import { testSpool } from "@postern/adapter-contracts/vitest";
import { memorySpool } from "@postern/adapter-memory";

testSpool("memorySpool", async ({ limit }) => ({ spool: memorySpool({ limit }), close: async () => {} }));
