import * as z from "zod";
import { type SesOutcomesPorts, sesOutcomes } from "./ses-outcomes.ts";

const SqsEvent = z.object({ Records: z.array(z.object({ messageId: z.string(), body: z.string() })) });

/** The messages that stay in the queue. */
export type SqsBatchResponse = {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
};

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
export const outcomesHandler = (ports: SesOutcomesPorts): ((event: unknown) => Promise<SqsBatchResponse>) => {
  const record = sesOutcomes(ports);
  return async (event) => {
    const sqs = SqsEvent.safeParse(event);
    // Lambda would take any response as the success of the whole batch.
    if (!sqs.success) throw new TypeError("The event is not a batch of messages of SQS");
    const read = await record(sqs.data.Records);
    const failed = read.filter(({ result }) => result.isErr());
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
};
