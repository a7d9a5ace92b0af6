/*
 * For tests of what the contract cannot check, such as several processes on one database, or a network that fails: runs random
 * operations of several clients concurrently, and checks that their results are consistent with some order of the operations.
 */
export { type Call, checkLinearizable, type Model, type Verdict } from "./checker.ts";
export {
  expectLinearizable,
  type History,
  randomSchedules,
  runSchedule,
  type Schedule,
  type Setting,
} from "./histories.ts";
export type { AliasState, Operation } from "./model.ts";
export type { Outcome } from "./parts.ts";
