import { sqliteStore } from "@postern/adapter-sqlite";
import { NO_LIMITS } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { recipientNumber } from "./samples.ts";

/*
 * A process that writes to the store in the file named by its argument until a write fails, and prints the cause. The system
 * sends a signal when a file reaches its size limit; without a handler, that would end the process.
 */

process.on("SIGXFSZ", () => {});
const [path = ""] = process.argv.slice(2);
const store = valueOf(sqliteStore({ path, clock: Date }));
for (let n = 0; ; n += 1) {
  const created = await store.recipients.create(recipientNumber(n), NO_LIMITS);
  if (created.isOk()) continue;
  const { error } = created;
  if (error.code === "unavailable") process.stdout.write(`${error.cause?.source} ${error.cause?.reason}`);
  break;
}
// Otherwise the log would be written to the file.
process.exit();
