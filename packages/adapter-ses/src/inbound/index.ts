export { leaveInQueue, type QueuedEvent, type SqsBatchResponse } from "../sqs-batch.ts";
export { inboundHandler } from "./inbound-handler.ts";
export {
  type SesArrivalFailure,
  type SesArrivalRead,
  type SesArrivalResult,
  type SesInbound,
  type SesInboundPorts,
  type SesRefusal,
  sesInbound,
} from "./ses-inbound.ts";
export type { BucketLocation } from "./stored-messages.ts";
