import { type ChildProcess, spawn } from "node:child_process";

/**
 * Starts a program that a contender consists of. Its output is that of the contender. Each ends when the other one does.
 */
export const childProgram = (
  [command = "", ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcess => {
  const child = spawn(command, args, {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...env },
  });
  child.once("exit", () => process.exit(1));
  process.once("exit", () => child.kill());
  process.once("SIGTERM", () => process.exit());
  return child;
};
