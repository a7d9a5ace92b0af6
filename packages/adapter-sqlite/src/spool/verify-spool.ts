import { existsSync } from "node:fs";
import { ok, type Result } from "@postern/core";
import { type NotIntact, verifyFile } from "../file/verify-file.ts";
import { databaseIn } from "./open-spool.ts";

/**
 * Looks for damage in the database of the spool in a directory, for at most `timeoutMs` milliseconds, in a separate process: damaged pages
 * and indexes, violated constraints, and rows that reference missing ones. Works next to a running server, and changes nothing. A spool
 * that does not exist yet is intact.
 *
 * @returns `intact`; `unfinished` if the time was too short; or why it is not known to be intact
 */
export const verifySpool = async (
  directory: string,
  timeoutMs: number,
): Promise<Result<"intact" | "unfinished", NotIntact>> => {
  const file = databaseIn(directory);
  return existsSync(file) ? verifyFile(file, "integrity_check", timeoutMs) : ok("intact");
};
