import { sqliteStore } from "@postern/adapter-sqlite";
import { NO_LIMITS } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { recipientNumber } from "./samples.ts";

/*
 * A process that gives up root for the user `nobody`, as a service does, and then opens the store in the file named by
 * its argument and writes to it. It prints the error if it cannot.
 */

const NOBODY = 65_534;

const [path = ""] = process.argv.slice(2);
process.setgroups?.([NOBODY]);
process.setgid?.(NOBODY);
process.setuid?.(NOBODY);
const opened = sqliteStore({ path, clock: Date });
if (opened.isErr()) process.stdout.write(opened.error.message);
else {
  valueOf(await opened.value.recipients.create(recipientNumber(0), NO_LIMITS));
  process.stdout.write("written");
}
