/* What spools share that hold what they remember in memory. For authors of spools. */

export { bodyOf, type HeldBody, receivedBodies } from "./received-bodies.ts";
export { type Room, room } from "./room.ts";
export type { CopyRecord, LogRecord, MessageRecord, OutcomeRecord, Remembered } from "./spool-records.ts";
export {
  type SpoolChanges,
  type SpoolRecords,
  type SpoolState,
  spoolState,
} from "./spool-state.ts";
