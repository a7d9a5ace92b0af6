import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

let folder: string | undefined;

/** In a process of its own: a process counts the memory of the one that started it as its own peak. */
const build = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "postern-release-"));
  process.once("exit", () => rmSync(folder, { recursive: true }));
  execFileSync(process.execPath, [fileURLToPath(new URL("build-release.ts", import.meta.url)), folder]);
  return folder;
};

/**
 * The path of a program of the release: `main`, or one of Postern's contenders by its path in the directory `bench`. Built by the first
 * call, and deleted when this process ends. Run from their sources, they would need more memory, for Node to strip the types.
 */
export const inRelease = (program: string): string => {
  folder ??= build();
  return join(folder, "dist", `${basename(program, ".ts")}.js`);
};
