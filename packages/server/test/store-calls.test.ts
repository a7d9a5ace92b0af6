import { testStore } from "@postern/adapter-contracts/vitest";
import { memoryStore } from "@postern/adapter-memory";
import { storeOf } from "../src/serve/mail/store-calls.ts";
import { received, sent } from "../src/serve/mail/thread-calls.ts";
import { operationsOf } from "../src/serve/operations-of.ts";

/* A store does the same when called from another thread: everything that operations receive and return survives being copied. */

testStore("a store whose operations are called from another thread", async () => {
  const store = memoryStore();
  const operations = operationsOf(store);
  const called = storeOf([...operations.keys()], async (name, input) => {
    const result = await operations.get(name)?.(...structuredClone(input));
    if (result === undefined) throw new Error(`there is no operation ${name}`);
    return received(structuredClone(sent(result)));
  });
  return { store: { ...store, ...called }, close: async () => {} };
});
