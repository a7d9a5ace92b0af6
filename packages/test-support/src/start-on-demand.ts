import { fork } from "node:child_process";
import { once } from "node:events";
import type { TestProject } from "vitest/node";
import { onDemand } from "./on-demand.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where test files ask for the location of the DynamoDB Local that they share. */
    readonly dynamoDb: string;
    /** Where they ask for that of PostgreSQL. */
    readonly postgres: string;
  }
}

/**
 * A global setup that starts a program once, for all test files of a project, when the first of them asks for it under the name
 * `provided`. Vitest calls it before the first test file, and calls the function that it returns after the last one.
 *
 * @param main a module that starts the program, sends its location to the parent process, and stops it once that has disconnected.
 * It runs in a separate process, because module resolution where Vitest loads a global setup does not work for it
 */
export const startOnDemand =
  (provided: "dynamoDb" | "postgres", main: URL) => async (project: TestProject) => {
    let stop = async (): Promise<void> => {};

    const location = await onDemand(async () => {
      const program = fork(main);
      const ended = once(program, "exit");
      stop = async () => {
        if (program.connected) program.disconnect();
        await ended;
      };
      const [found] = await Promise.race([once(program, "message"), ended]);
      // If it did not start, it has printed the reason, and this is no location.
      return found;
    });
    project.provide(provided, location.url);
    return async () => {
      location.close();
      await stop();
    };
  };
