import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Where test files ask for the location of the DynamoDB Local that they share. */
    readonly dynamoDb: string;
  }
}

/**
 * Vitest calls this before the first test file of a project, and calls the returned function after the last one. DynamoDB Local
 * starts when a file asks for it: most files do not need it. Starting it once, and not for each file, saves a minute.
 */
export default async (project: TestProject) => {
  let stop = async (): Promise<void> => {};

  const start = async (): Promise<unknown> => {
    // A separate process, because module resolution where Vitest loads this file does not work for dynamodb-local.ts.
    const dynamo = fork(new URL("./dynamodb-main.ts", import.meta.url));
    const ended = once(dynamo, "exit");
    stop = async () => {
      if (dynamo.connected) dynamo.disconnect();
      await ended;
    };
    const [location] = await Promise.race([once(dynamo, "message"), ended]);
    return location;
  };

  let location: Promise<unknown> | undefined;
  const server = createServer((_, response) => {
    location ??= start();
    // If it did not start, it has printed the reason, and this is no location.
    void location.then((found) => response.end(JSON.stringify(found)));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  project.provide("dynamoDb", `http://127.0.0.1:${port}`);
  return async () => {
    server.close();
    await stop();
  };
};
