import { execFile } from "node:child_process";

/** Without the variables by which a vitest notices that it runs inside another one. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST")),
);

/** Runs a program to its end. Rejects, with everything that the program printed, if it fails. */
export const run = (command: string, parameters: readonly string[], directory: string): Promise<void> =>
  new Promise((resolve, reject) => {
    execFile(command, [...parameters], { cwd: directory, env: environment }, (error, stdout, stderr) => {
      if (error === null) resolve();
      else reject(new Error(`In ${directory}: ${error.message}\n${stdout}\n${stderr}`));
    });
  });
