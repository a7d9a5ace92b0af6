import { batchHandler, type SqsBatchResponse } from "../sqs-batch.ts";
import { type SesInboundPorts, sesInbound } from "./ses-inbound.ts";

/**
 * A function for AWS Lambda that a queue of SQS invokes with the notifications of a receipt rule of SES (`sesInbound`). Its event source
 * mapping must have `ReportBatchItemFailures`: a message that cannot be taken in now, or whose notification cannot be read, is named in the
 * response, so that it stays in the queue, and the other messages of the batch do not. An invocation by anything else rejects.
 *
 * @example
 * ```ts
 * const { lookup } = cachingResolver(null);
 * const takeIn = inboundHandler({ plane, spool: plane.spool, bucket: { bucket: "postern-mail" }, name: "mx.alias.example", lookup });
 * ```
 */
export const inboundHandler = (ports: SesInboundPorts): ((event: unknown) => Promise<SqsBatchResponse>) =>
  batchHandler(sesInbound(ports));
