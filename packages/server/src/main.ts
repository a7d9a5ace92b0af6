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
  const { run } = await import("./cli/run.ts");
  await run();
}

export {};
