import type { Schema } from "./schema.ts";
import { BUSY, reasonOf, resultCode } from "./sqlite-error.ts";

/** Why a file was not opened as a store or as a spool. The file is unchanged. `message` is for the operator and names the file. */
export type OpenError =
  /** It is open already, in this process or another, or another program has locked it. */
  | { readonly code: "in_use"; readonly message: string }
  /** The file is missing or empty, and must not be created. */
  | { readonly code: "missing"; readonly message: string }
  /** It is not a SQLite database, or belongs to another program. */
  | { readonly code: "not_a_store"; readonly message: string }
  /** A newer Postern wrote it: `found` is its schema version, `supported` the latest one known here. */
  | {
      readonly code: "newer_version";
      readonly found: number;
      readonly supported: number;
      readonly message: string;
    }
  /** An older Postern wrote it, and a file that is opened alongside another store or spool is not migrated. */
  | {
      readonly code: "older_version";
      readonly found: number;
      readonly supported: number;
      readonly message: string;
    }
  /** The operating system or SQLite failed, or did not respond: for example, no permission, no space, or a damaged file. */
  | { readonly code: "cannot_open"; readonly message: string };

export const missing = (path: string, kind: Schema["kind"]): OpenError => ({
  code: "missing",
  message: `${path} is missing or empty: there is no ${kind} in it`,
});

export const notAStore = (path: string): OpenError => ({
  code: "not_a_store",
  message: `${path} is not a Postern database`,
});

export const newerVersion = (path: string, found: number, supported: number): OpenError => ({
  code: "newer_version",
  found,
  supported,
  message: `${path} has schema version ${found}, but this Postern supports versions up to ${supported}: run a newer Postern`,
});

export const olderVersion = (path: string, found: number, supported: number): OpenError => ({
  code: "older_version",
  found,
  supported,
  message: `${path} has schema version ${found}, but this Postern has ${supported}: start this version's server once, which migrates the file`,
});

/** The error thrown while opening `path`, as a value. */
export const openFailed = (path: string, cause: unknown, kind: Schema["kind"]): OpenError =>
  resultCode(cause) === BUSY
    ? {
        code: "in_use",
        message: `${path} is in use by another ${kind} or program; only one ${kind} can have it open`,
      }
    : { code: "cannot_open", message: `${path} cannot be opened: ${reasonOf(cause)}` };
