import { fork } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { onDemand } from "./on-demand.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where test files ask for the folder with the server, built as for a release. */
    readonly builtServer: string;
  }
}

/**
 * Vitest calls this before the first test file, and calls the returned function after the last one. The tests start the server
 * hundreds of times: built, it starts in a third of the CPU time that it needs from its sources.
 */
export default async (project: TestProject) => {
  const folder = await mkdtemp(join(tmpdir(), "postern-server-"));
  // Some tests run the server as another user.
  await chmod(folder, 0o755);
  const built = await onDemand(async () => {
    // A separate process, because Vitest would resolve and transform what the build imports.
    const build = fork(new URL("../../../scripts/build/build-for-tests.ts", import.meta.url), [folder]);
    const [status] = await once(build, "exit");
    // If the build failed, it has printed the reason.
    return status === 0 ? folder : null;
  });
  project.provide("builtServer", built.url);
  return async () => {
    built.close();
    await rm(folder, { recursive: true });
  };
};
