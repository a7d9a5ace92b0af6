import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const PACKAGE = "openjdk-17-jre-headless";

const hasJava = (): boolean => spawnSync("java", ["-version"]).status === 0;

/**
 * Runs before all tests. DynamoDB Local needs Java 17 or later: if Java is missing, it is installed when running as
 * root on Debian. Otherwise the tests fail immediately and say what to install.
 */
export const setup = (): void => {
  if (hasJava()) return;
  const canInstall = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  if (canInstall) {
    const options = { stdio: "inherit", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } } as const;
    spawnSync("apt-get", ["update", "-qq"], options);
    spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", PACKAGE], options);
    if (hasJava()) return;
  }
  throw new Error(`The tests need Java 17 or later for DynamoDB Local: install it, for example ${PACKAGE}.`);
};
