export type { SesTag } from "../sender-tag.ts";
export type { QueuedEvent, SqsBatchResponse } from "../sqs-batch.ts";
export { ALIAS_TAG, aliasTag } from "./alias-tag.ts";
export { outcomesHandler } from "./outcomes-handler.ts";
export { type OutcomePolling, type PollOutcomesPorts, pollOutcomes } from "./poll-outcomes.ts";
export type { QueueLocation } from "./queue.ts";
export { type NoDeadLetters, replayOutcomes } from "./replay-outcomes.ts";
export {
  type SesEventFailure,
  type SesEventRead,
  type SesEventResult,
  type SesOutcomes,
  type SesOutcomesPorts,
  sesOutcomes,
} from "./ses-outcomes.ts";
