import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const BUILD = fileURLToPath(new URL("build-release.ts", import.meta.url));

/**
 * The path of a program of the release: `main`, or one of Postern's contenders by its path in the directory `bench`. Built into
 * `directory` by the first call. Run from their sources, they would need more memory, for Node to strip the types.
 */
export const inRelease = (program: string, directory: string): string => {
  const folder = join(directory, "release");
  // In a process of its own: a process counts the memory of the one that started it as its own peak.
  if (!existsSync(folder)) execFileSync(process.execPath, [BUILD, folder]);
  return join(folder, "dist", `${basename(program, ".ts")}.js`);
};
