import type { Cause } from "@postern/core";
import { resultName } from "./result-names.ts";
import { extendedResultCode } from "./sqlite-error.ts";

const because = (reason: string): Cause => ({ source: "sqlite", reason });

export const CLOSED = because("the store is closed");

export const LATE = because("no turn before the deadline");

export const MOVED = because("the file is no longer in its place");

/** A disk does not respond in time. */
export const NO_RESPONSE: Cause = { source: "disk", reason: "no response before the deadline" };

/** An error whose cause is known. The cause contains nothing that anybody has stored. */
export class CausedError extends Error {
  override readonly cause: Cause;
  constructor(cause: Cause) {
    super(cause.reason);
    this.cause = cause;
  }
}

/** Why a file operation failed: the operating system's error code, such as EIO. */
export const diskError = (thrown: unknown): CausedError => {
  if (thrown instanceof CausedError) return thrown;
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return new CausedError({ source: "disk", reason: typeof code === "string" ? code : "unknown reason" });
};

/**
 * Why a call failed. Never SQLite's message, which can name what a constraint is about; for an error that is neither SQLite's nor a
 * `CausedError`, which is a defect, only its class.
 */
export const causeOf = (thrown: unknown): Cause => {
  if (thrown instanceof CausedError) return thrown.cause;
  const code = extendedResultCode(thrown);
  if (code !== null) return because(resultName(code));
  return because(thrown instanceof Error ? thrown.constructor.name : `a thrown ${typeof thrown}`);
};
