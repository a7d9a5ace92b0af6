import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { type Cause, err, ok, type Result } from "@postern/core";
import type { ForwardingPause } from "@postern/mail";
import { causeOf } from "../file/cause.ts";
import { databaseIn } from "./open-spool.ts";
import { PAUSE, pauseOf } from "./rows.ts";

/** How long it waits for a lock, in milliseconds. */
const BUSY_MS = 1_000;

/**
 * The pause that is stored in the spool in a directory: see `Spool.pause`; null also if there is no spool yet. Works next to a running server,
 * and changes nothing. Blocks the thread while the disk does not respond.
 */
export const readPause = (directory: string): Result<ForwardingPause | null, Cause> => {
  const file = databaseIn(directory);
  if (!existsSync(file)) return ok(null);
  try {
    using db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
    return ok(pauseOf(db.prepare(PAUSE).get()));
  } catch (thrown) {
    return err(causeOf(thrown));
  }
};
