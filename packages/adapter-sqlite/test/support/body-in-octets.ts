import { mkdirSync } from "node:fs";
import { newDirectory, removeDirectories } from "@postern/test-support/new-directory";
import { bodiesIn, bodyFiles } from "../../src/spool/body-files.ts";
import { diskCalls } from "../../src/spool/disk-calls.ts";
import { receivedBodies } from "../../src/spool/received-bodies.ts";

/* Prints how much memory a body that arrives octet by octet takes, just before its end. Needs --expose-gc. */

const SIZE = 100_000;
const LIMIT = 10 * SIZE;

const directory = newDirectory();
mkdirSync(bodiesIn(directory));
process.on("exit", removeDirectories);

const bodies = receivedBodies({
  limit: LIMIT,
  timeoutMs: 10_000,
  files: bodyFiles(directory, diskCalls(10_000)),
  stored: () => 0,
  room: async () => ({ outside: LIMIT, all: LIMIT }),
  discard: async () => {},
  evict: async () => 0,
});

const used = (): number => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const before = used();
const received = await bodies.receive(
  (async function* () {
    for (let n = 0; n < SIZE; n += 1) yield Buffer.from("a");
    process.stdout.write(`${used() - before}`);
  })(),
);
process.exitCode = received.isOk() && received.value.size === SIZE ? 0 : 1;
