import { readFileSync, type Stats, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { err, ok, type Result } from "@postern/core";
import { systemCode } from "../system/system-code.ts";
import { credentialOr } from "./credential.ts";

const MAX_BYTES = 64 * 1024;

const OTHERS_MAY_READ = 0o004;

/** The content of a file without its trailing newline, and a warning if every user of the machine may read it. */
export type SecretFile = { readonly secret: string; readonly warning: string | null };

/** `inFile`: whether it is in the file, and not in the variable that names it. */
export type SecretFileProblem = { readonly problem: string; readonly inFile: boolean };

const decode = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
};

/**
 * Reads a secret from a file of at most 64 KiB. A problem continues a sentence that starts with the name of the variable. It
 * contains the path if that is absolute, otherwise no part of the value, which could be the secret itself.
 */
export const readSecretFile = (path: string): Result<SecretFile, SecretFileProblem> => {
  if (!isAbsolute(path)) return err({ problem: "must be an absolute path", inFile: false });
  const refuse = (why: string) => err({ problem: `names ${path}, which ${why}`, inFile: true });
  const place = credentialOr(path);
  let file: Stats;
  let bytes: Uint8Array;
  try {
    file = statSync(place);
    // Reading a pipe could wait forever.
    if (!file.isFile()) return refuse("is not a regular file");
    if (file.size > MAX_BYTES) return refuse("is larger than 64 KiB");
    bytes = readFileSync(place);
  } catch (error) {
    return refuse(`cannot be read (${systemCode(error)})`);
  }
  const text = decode(bytes);
  if (text === null) return refuse("is not UTF-8 text");
  const secret = text.replace(/\r?\n$/, "");
  if (secret === "") return refuse("is empty");
  const mode = (file.mode & 0o777).toString(8).padStart(4, "0");
  const warning = `${path} can be read by every user of this machine (mode ${mode}): use mode 0600 or 0400`;
  return ok({ secret, warning: (file.mode & OTHERS_MAY_READ) === 0 ? null : warning });
};
