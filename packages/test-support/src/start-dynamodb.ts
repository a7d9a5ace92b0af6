import { fork } from "node:child_process";
import { once } from "node:events";
import type { TestProject } from "vitest/node";
import * as z from "zod";

/** The location of the DynamoDB Local that all files of the project "http on dynamodb" share. */
const location = z.object({
  endpoint: z.string(),
  region: z.string(),
  credentials: z.object({ accessKeyId: z.string(), secretAccessKey: z.string() }),
});

declare module "vitest" {
  interface ProvidedContext {
    /** Null if it did not start. */
    readonly dynamoDb: z.output<typeof location> | null;
  }
}

/** Vitest calls this once before the first of those files, and calls the returned function after the last one. */
export default async (project: TestProject) => {
  // A separate process, because module resolution where Vitest loads this file does not work for dynamodb-local.ts.
  const dynamo = fork(new URL("./dynamodb-main.ts", import.meta.url));
  const ended = once(dynamo, "exit");
  const [message] = await Promise.race([once(dynamo, "message"), ended]);
  // If it did not start, it has printed the reason. Throwing here would stop the other projects too.
  project.provide("dynamoDb", location.safeParse(message).data ?? null);
  return async () => {
    if (dynamo.connected) dynamo.disconnect();
    await ended;
  };
};
