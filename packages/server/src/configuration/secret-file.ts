import { err, ok, type Result } from "@postern/core";
import { credentialOr } from "./credential.ts";
import { type FileProblem, readSmallFile } from "./small-file.ts";

const OTHERS_MAY_READ = 0o004;

/** The content of a file without its trailing newline, and a warning if every user of the machine may read it. */
export type SecretFile = { readonly secret: string; readonly warning: string | null };

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
export const readSecretFile = (path: string): Result<SecretFile, FileProblem> => {
  const file = readSmallFile(path, credentialOr(path));
  if (file.isErr()) return err(file.error);
  const refuse = (why: string) => err({ problem: `names ${path}, which ${why}`, inFile: true });
  const text = decode(file.value.bytes);
  if (text === null) return refuse("is not UTF-8 text");
  const secret = text.replace(/\r?\n$/, "");
  if (secret === "") return refuse("is empty");
  const mode = file.value.mode.toString(8).padStart(4, "0");
  const warning = `${path} can be read by every user of this machine (mode ${mode}): use mode 0600 or 0400`;
  return ok({ secret, warning: (file.value.mode & OTHERS_MAY_READ) === 0 ? null : warning });
};
