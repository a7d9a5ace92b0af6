import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { newDirectory, removeDirectories } from "@postern/test-support/new-directory";
import { bodiesIn, bodyFiles } from "../../src/spool/body-files.ts";
import { diskCalls } from "../../src/spool/disk-calls.ts";

/* All operations of the thread of the sessions on files of bodies. With `--trace-sync-io`, Node reports calls that would block it. */

const directory = newDirectory();
mkdirSync(bodiesIn(directory));
const files = bodyFiles(directory, diskCalls(10_000));
process.on("exit", removeDirectories);

// Node reports nothing before the event loop runs. This reads random octets for a while, which needs no disk.
randomUUID();
await setImmediate();
const [kept, abandoned] = [await files.create(), await files.create()];
for (const file of [kept, abandoned]) await file.write(Buffer.alloc(100_000));
await kept.flush();
await abandoned.abandon();
let size = 0;
for await (const chunk of files.read(kept.name)) size += chunk.length;
process.stdout.write(`${size}`);
