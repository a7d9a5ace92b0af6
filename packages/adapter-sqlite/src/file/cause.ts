import type { Cause } from "@postern/core";
import { resultName } from "./result-names.ts";
import { DamagedRow } from "./row.ts";
import { extendedResultCode } from "./sqlite-error.ts";

const because = (reason: string): Cause => ({ source: "sqlite", reason });

export const CLOSED = because("the store is closed");

export const LATE = because("no turn before the deadline");

export const MOVED = because("the file is no longer in its place");

/** Why a file operation failed: the operating system's error code, such as EIO. */
export const fromDisk = (thrown: unknown): Cause => {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return { source: "disk", reason: typeof code === "string" ? code : "unknown reason" };
};

/**
 * Why a call failed. Never SQLite's message, which can name what a constraint is about; for an error that is not SQLite's,
 * which is a defect, only its class.
 */
export const causeOf = (thrown: unknown): Cause => {
  if (thrown instanceof DamagedRow) return because(thrown.message);
  const code = extendedResultCode(thrown);
  if (code !== null) return because(resultName(code));
  return because(thrown instanceof Error ? thrown.constructor.name : `a thrown ${typeof thrown}`);
};
