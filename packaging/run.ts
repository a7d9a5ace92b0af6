import { execFile } from "node:child_process";

const environment = {
  // Without the variables by which vitest detects that it runs inside another vitest.
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST"))),
  // By default, npm waits for five minutes for a registry that does not respond, which is half of the time that a test has.
  npm_config_fetch_timeout: "30000",
  npm_config_fetch_retries: "5",
};

/** Runs a program until it exits. Rejects with its complete output if it fails. */
export const run = (command: string, parameters: readonly string[], directory: string): Promise<void> =>
  new Promise((resolve, reject) => {
    execFile(command, [...parameters], { cwd: directory, env: environment }, (error, stdout, stderr) => {
      if (error === null) resolve();
      else reject(new Error(`In ${directory}: ${error.message}\n${stdout}\n${stderr}`));
    });
  });
