import { execFile } from "node:child_process";

/** Omits the variables by which vitest detects that it runs inside another vitest. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST")),
);

/** Runs a program until it exits. Rejects with its complete output if it fails. */
export const run = (command: string, parameters: readonly string[], directory: string): Promise<void> =>
  new Promise((resolve, reject) => {
    execFile(command, [...parameters], { cwd: directory, env: environment }, (error, stdout, stderr) => {
      if (error === null) resolve();
      else reject(new Error(`In ${directory}: ${error.message}\n${stdout}\n${stderr}`));
    });
  });
