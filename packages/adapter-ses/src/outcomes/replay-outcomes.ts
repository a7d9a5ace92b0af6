import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { err, ok, type PortResult } from "@postern/core";
import * as z from "zod";
import { asked, type QueueLocation, queueClient, unavailable } from "./queue.ts";

/** The queue has no dead letters: what cannot be stored stays in it until its retention ends. */
export type NoDeadLetters = { readonly code: "no_dead_letters" };

/** As many as SQS gives at a time. */
const BATCH = 10;
const TIMEOUT_MS = 10_000;

const RedrivePolicy = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue("must be JSON");
      return z.NEVER;
    }
  })
  .pipe(z.object({ deadLetterTargetArn: z.string() }))
  .transform(({ deadLetterTargetArn }) => deadLetterTargetArn.split(":"));

/**
 * Moves the dead letters of the queue back into it, as many as there are at the beginning. Returns how many. If it ends early, a message can
 * be in both: then it is read twice, which changes nothing. SQS gives them a new id.
 *
 * It needs the rights `sqs:GetQueueAttributes` and `sqs:SendMessage` for the queue, and `sqs:GetQueueUrl`, `sqs:GetQueueAttributes`,
 * `sqs:ReceiveMessage` and `sqs:DeleteMessage` for that of the dead letters.
 *
 * @throws TypeError if `url` is not a URL
 */
export const replayOutcomes = async (location: QueueLocation): PortResult<number, NoDeadLetters> => {
  const client = queueClient(location);
  const ask = <T>(work: Parameters<typeof asked<T>>[1]) => asked(AbortSignal.timeout(TIMEOUT_MS), work);

  const attribute = async (QueueUrl: string, name: "RedrivePolicy" | "ApproximateNumberOfMessages") => {
    const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [name] });
    const said = await ask((options) => client.send(command, options));
    return said.map(({ Attributes }) => Attributes?.[name]);
  };

  const deadLetters = async (): PortResult<string, NoDeadLetters> => {
    const said = await attribute(location.url, "RedrivePolicy");
    if (said.isErr()) return err(said.error);
    const policy = RedrivePolicy.safeParse(said.value);
    if (!policy.success) return err({ code: "no_dead_letters" });
    const [, , , , QueueOwnerAWSAccountId, QueueName] = policy.data;
    const command = new GetQueueUrlCommand({ QueueName, QueueOwnerAWSAccountId });
    const found = await ask((options) => client.send(command, options));
    return found.andThen(({ QueueUrl }) =>
      QueueUrl === undefined ? err(unavailable("a response without a URL")) : ok(QueueUrl),
    );
  };

  const moveOne = async (from: string, { Body, ReceiptHandle }: Message): PortResult<void> => {
    const send = new SendMessageCommand({ QueueUrl: location.url, MessageBody: Body });
    const sent = await ask((options) => client.send(send, options));
    if (sent.isErr()) return err(sent.error);
    const remove = new DeleteMessageCommand({ QueueUrl: from, ReceiptHandle });
    const removed = await ask((options) => client.send(remove, options));
    return removed.map(() => undefined);
  };

  const moveAll = async (): PortResult<number, NoDeadLetters> => {
    const from = await deadLetters();
    if (from.isErr()) return err(from.error);
    const said = await attribute(from.value, "ApproximateNumberOfMessages");
    if (said.isErr()) return err(said.error);
    const all = Number(said.value ?? 0);
    let moved = 0;
    while (moved < all) {
      const command = new ReceiveMessageCommand({
        QueueUrl: from.value,
        MaxNumberOfMessages: Math.min(BATCH, all - moved),
        WaitTimeSeconds: 1,
      });
      const received = await ask((options) => client.send(command, options));
      if (received.isErr()) return err(received.error);
      const { Messages = [] } = received.value;
      if (Messages.length === 0) break;
      for (const message of Messages) {
        const done = await moveOne(from.value, message);
        if (done.isErr()) return err(done.error);
        moved += 1;
      }
    }
    return ok(moved);
  };

  try {
    return await moveAll();
  } finally {
    client.destroy();
  }
};
