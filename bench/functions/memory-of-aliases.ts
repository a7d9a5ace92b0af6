import { memoryStore } from "@postern/adapter-memory";
import { fillAliases, fillRecipients } from "../support/fill-store.ts";

/* The process that measures how much memory an alias takes in the store in memory. Needs --expose-gc. */

const fixture = { accounts: 50, aliases: 1000, recipients: 3, attached: 3 };

const used = (): number => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const store = memoryStore();
await fillRecipients(store, fixture);
const before = used();
await fillAliases(store, fixture);
process.send?.((used() - before) / (fixture.accounts * fixture.aliases));
process.on("disconnect", () => process.exit());
