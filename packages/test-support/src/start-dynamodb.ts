import { fork } from "node:child_process";
import { once } from "node:events";
import type { TestProject } from "vitest/node";
import { onDemand } from "./on-demand.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where test files ask for the location of the DynamoDB Local that they share. */
    readonly dynamoDb: string;
  }
}

/**
 * Vitest calls this before the first test file of a project, and calls the returned function after the last one. Starting
 * DynamoDB Local once, and not for each file, saves a minute.
 */
export default async (project: TestProject) => {
  let stop = async (): Promise<void> => {};

  const location = await onDemand(async () => {
    // A separate process, because module resolution where Vitest loads this file does not work for dynamodb-local.ts.
    const dynamo = fork(new URL("./dynamodb-main.ts", import.meta.url));
    const ended = once(dynamo, "exit");
    stop = async () => {
      if (dynamo.connected) dynamo.disconnect();
      await ended;
    };
    const [found] = await Promise.race([once(dynamo, "message"), ended]);
    // If it did not start, it has printed the reason, and this is no location.
    return found;
  });
  project.provide("dynamoDb", location.url);
  return async () => {
    location.close();
    await stop();
  };
};
