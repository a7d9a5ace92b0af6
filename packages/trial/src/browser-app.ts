import { execFile } from "node:child_process";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const BUILD = fileURLToPath(new URL("../../web/build.ts", import.meta.url));

/** Builds the browser app into a folder. In a process of its own, because it changes the environment. */
export const buildBrowserApp = async (folder: string): Promise<void> => {
  await promisify(execFile)(process.execPath, [BUILD, basename(folder)], { cwd: dirname(folder) });
};
