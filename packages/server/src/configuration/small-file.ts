import { readFileSync, type Stats, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { err, ok, type Result } from "@postern/core";
import { systemCode } from "../system/system-code.ts";

const MAX_BYTES = 64 * 1024;

/** The content of a file, and who may read it. */
export type SmallFile = { readonly bytes: Uint8Array; readonly mode: number };

/** `inFile`: whether it is in the file, and not in the variable that names it. */
export type FileProblem = { readonly problem: string; readonly inFile: boolean };

/**
 * Reads a file of at most 64 KiB that a variable names. A problem continues a sentence that starts with the name of the variable. It
 * contains the path if that is absolute, otherwise no part of the value.
 *
 * @param place where to read it, if that is not where the variable says
 */
export const readSmallFile = (path: string, place = path): Result<SmallFile, FileProblem> => {
  if (!isAbsolute(path)) return err({ problem: "must be an absolute path", inFile: false });
  const refuse = (why: string) => err({ problem: `names ${path}, which ${why}`, inFile: true });
  let file: Stats;
  try {
    file = statSync(place);
    // Reading a pipe could wait forever.
    if (!file.isFile()) return refuse("is not a regular file");
    if (file.size > MAX_BYTES) return refuse("is larger than 64 KiB");
    return ok({ bytes: readFileSync(place), mode: file.mode & 0o777 });
  } catch (error) {
    return refuse(`cannot be read (${systemCode(error)})`);
  }
};
