import { test } from "node:test";
import { contract } from "@postern/adapter-contracts";
import { memoryStore } from "@postern/adapter-memory";

const open = async () => ({ store: memoryStore(), close: async () => {} });

for (const { name, run } of contract) test(name, () => run(open));
