import { err, type Result } from "@postern/core";
import * as z from "zod";

/** A message of SQS that contains an event. */
export type QueuedEvent = {
  /** SQS's id of the message. */
  readonly messageId: string;
  readonly body: string;
};

/** The messages that stay in the queue. */
export type SqsBatchResponse = {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
};

const SqsEvent = z.object({ Records: z.array(z.object({ messageId: z.string(), body: z.string() })) });

/** A handler for batches of SQS, of which a message with an error stays in the queue. An invocation by anything else rejects. */
export const batchHandler =
  (
    take: (
      batch: readonly QueuedEvent[],
    ) => Promise<readonly { readonly messageId: string; readonly result: Result<unknown, unknown> }[]>,
  ) =>
  async (event: unknown): Promise<SqsBatchResponse> => {
    const sqs = SqsEvent.safeParse(event);
    // Lambda would take any response as the success of the whole batch.
    if (!sqs.success) throw new TypeError("The event is not a batch of messages of SQS");
    const taken = await take(sqs.data.Records);
    const failed = taken.filter(({ result }) => result.isErr());
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };

/** Answers a batch of SQS so that all of it stays in the queue, which is no failure of the function. */
export const leaveInQueue = batchHandler(async (batch) =>
  batch.map(({ messageId }) => ({ messageId, result: err(null) })),
);
