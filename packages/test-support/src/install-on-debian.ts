import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/**
 * Ensures that the tests have a program. If it is not installed, this installs the package `name` when run as root on
 * Debian, and otherwise throws, so that the tests fail at once and say what to install.
 */
export const installOnDebian = (name: string, isInstalled: () => boolean, need: string): void => {
  if (isInstalled()) return;
  const canInstall = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  if (canInstall) {
    const options = { stdio: "inherit", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } } as const;
    spawnSync("apt-get", ["update", "-qq"], options);
    spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", name], options);
    if (isInstalled()) return;
  }
  throw new Error(`The tests need ${need}: install it, for example ${name}.`);
};
