import { batchHandler, type SqsBatchResponse } from "../sqs-batch.ts";
import { type SesOutcomesPorts, sesOutcomes } from "./ses-outcomes.ts";

/**
 * A function for AWS Lambda that a queue of SQS invokes with SES's events. Its event source mapping must have `ReportBatchItemFailures`: a
 * message of which nothing could be stored, or that cannot be read, is named in the response, so that it stays in the queue, and the other
 * messages of the batch do not. An invocation by anything else rejects.
 *
 * @throws TypeError if `aliasDomains` is empty or not a list of domain names
 * @example
 * ```ts
 * export const outcomes = outcomesHandler({ store, aliasDomains: ["alias.example"], ...nodePorts({ linkSecrets }) });
 * ```
 */
export const outcomesHandler = (ports: SesOutcomesPorts): ((event: unknown) => Promise<SqsBatchResponse>) =>
  batchHandler(sesOutcomes(ports));
