import { BUSY, reasonOf, resultCode } from "./sqlite-error.ts";

/** Why a file was not opened as a store. It was left as it was. `message` is for the operator and names the file. */
export type OpenError =
  /** Another store has it open, in this process or another one, or some tool has locked it. */
  | { readonly code: "in_use"; readonly message: string }
  /** It is no SQLite database, or another program's. */
  | { readonly code: "not_a_store"; readonly message: string }
  /** A later Postern made it: `found` is its version, `supported` the latest known here. */
  | {
      readonly code: "newer_version";
      readonly found: number;
      readonly supported: number;
      readonly message: string;
    }
  /** The system or SQLite refused: no permission, no space, a damaged file. */
  | { readonly code: "cannot_open"; readonly message: string };

export const notAStore = (path: string): OpenError => ({
  code: "not_a_store",
  message: `${path} is not a Postern database`,
});

export const newerVersion = (path: string, found: number, supported: number): OpenError => ({
  code: "newer_version",
  found,
  supported,
  message: `${path} has schema version ${found}, made by a later Postern; this one knows versions up to ${supported}`,
});

/** What was thrown while opening `path`, as a value. */
export const openFailed = (path: string, cause: unknown): OpenError =>
  resultCode(cause) === BUSY
    ? { code: "in_use", message: `${path} is in use by another process` }
    : { code: "cannot_open", message: `${path} cannot be opened: ${reasonOf(cause)}` };
