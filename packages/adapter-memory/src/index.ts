export { memorySpool } from "./memory-spool.ts";
export { memoryStore } from "./memory-store.ts";
