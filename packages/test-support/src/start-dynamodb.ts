import { fork } from "node:child_process";
import { once } from "node:events";
import type { TestProject } from "vitest/node";
import { z } from "zod";

/** Where the one DynamoDB is that all files of the project "http on dynamodb" share, and how to ask it. */
const Location = z.object({
  endpoint: z.string(),
  region: z.string(),
  credentials: z.object({ accessKeyId: z.string(), secretAccessKey: z.string() }),
});

declare module "vitest" {
  interface ProvidedContext {
    /** Null where it did not start. */
    readonly dynamoDb: z.output<typeof Location> | null;
  }
}

/** Vitest calls this once, before the first of those files, and what it returns after the last. */
export default async (project: TestProject) => {
  // A process of its own: where Vitest loads this file, modules cannot be found as the other one does.
  const dynamo = fork(new URL("./dynamodb-main.ts", import.meta.url));
  const ended = once(dynamo, "exit");
  const [location] = await Promise.race([once(dynamo, "message"), ended]);
  // It has said why it did not start. That is no reason for the other projects not to run, as throwing would be.
  project.provide("dynamoDb", Location.safeParse(location).data ?? null);
  return async () => {
    if (dynamo.connected) dynamo.disconnect();
    await ended;
  };
};
