import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** A program that tests run, and the Debian packages (separated by spaces) that have it. */
export type Program = {
  readonly debianPackage: string;
  /** How to find out that it is installed: this command succeeds. */
  readonly probe: readonly [command: string, ...args: string[]];
  /** Continues "The tests need". */
  readonly need: string;
  /** An answer to a question of the package, for debconf-set-selections. */
  readonly preseed?: string;
};

/**
 * Ensures that the tests have these programs. Any that are missing are installed if this runs as root on Debian; otherwise it
 * throws, so that the tests fail at once and say what to install. Not for tests themselves, which run at the same time: apt
 * installs one package at a time.
 */
export const installOnDebian = (programs: readonly Program[]): void => {
  const missing = () =>
    programs.filter(({ probe: [command, ...args] }) => spawnSync(command, args).status !== 0);
  const needed = missing();
  if (needed.length === 0) return;
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    const options = { stdio: "inherit", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } } as const;
    const packages = needed.flatMap(({ debianPackage }) => debianPackage.split(" "));
    for (const { preseed } of needed) {
      if (preseed !== undefined) spawnSync("debconf-set-selections", { input: preseed });
    }
    spawnSync("apt-get", ["update", "-qq"], options);
    spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], options);
  }
  const still = missing();
  if (still.length === 0) return;
  const needs = still.map(({ need }) => need).join(", ");
  const packages = still.map(({ debianPackage }) => debianPackage).join(" ");
  throw new Error(
    `The tests need ${needs}: install what is missing, on Debian with apt-get install ${packages}.`,
  );
};
