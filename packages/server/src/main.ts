#!/usr/bin/env node
/*
 * Imports nothing before it has checked the version: static imports are loaded first, and an older Node cannot load the
 * server. It uses only what Node 14 understands.
 */
const REQUIRED = 24;

if (Number(process.versions.node.split(".")[0]) < REQUIRED) {
  process.stderr.write(
    `postern-server needs Node ${REQUIRED} or later; this is ${process.version} (${process.execPath}).\n`,
  );
  process.exitCode = 1;
} else {
  // Read when the first thread is needed. Two calls to the spool's disk, two flushes and one other can then run: see `diskCalls`.
  process.env["UV_THREADPOOL_SIZE"] ??= "5";
  const { run } = await import("./cli/run.ts");
  await run();
}

export {};
