import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { err, type OnUnreported, ok, type PortResult } from "@postern/core";
import { type Loop, loop } from "@postern/mail";
import { asked, type QueueLocation, queueClient, unavailable } from "./queue.ts";
import { type SesOutcomesPorts, sesOutcomes } from "./ses-outcomes.ts";

export type PollOutcomesPorts = SesOutcomesPorts & {
  /** Told why the queue could not be read, or messages could not be deleted from it. Ignored by default. */
  readonly onUnreported?: OnUnreported | undefined;
  /** Called with what the work rejected with, which is a defect. Ignored by default. */
  readonly onDefect?: ((error: unknown) => void) | undefined;
};

/** A loop that takes SES's events out of a queue. */
export type OutcomePolling = {
  start(): void;
  /** Receives nothing more, and resolves once what has been received is stored. Idempotent. */
  stop(): Promise<void>;
};

/** As many as SQS gives at a time. */
const BATCH = 10;
/** How long SQS waits for messages, in seconds: the longest that it allows. */
const WAIT_S = 20;
const RECEIVE_TIMEOUT_MS = (WAIT_S + 10) * 1_000;
const DELETE_TIMEOUT_MS = 5_000;

const PAUSE_AFTER_FAILURE_MS = 5_000;

/** One pass of `pollOutcomes`: returns how long to wait before the next one, in milliseconds. Receiving ends when the signal aborts. */
export const outcomesPass = (
  location: QueueLocation,
  { onUnreported = () => {}, ...ports }: Omit<PollOutcomesPorts, "onDefect">,
  stopping: AbortSignal,
) => {
  const { url: QueueUrl } = location;
  const client = queueClient(location);
  const record = sesOutcomes(ports);

  const receive = async (): PortResult<readonly Message[]> => {
    const command = new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: BATCH,
      WaitTimeSeconds: WAIT_S,
    });
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(RECEIVE_TIMEOUT_MS)]);
    const received = await asked(signal, (options) => client.send(command, options));
    return received.map(({ Messages = [] }) => Messages);
  };

  const remove = async (messages: readonly Message[]): PortResult<void> => {
    const Entries = messages.map(({ ReceiptHandle }, n) => ({ Id: `${n}`, ReceiptHandle }));
    const command = new DeleteMessageBatchCommand({ QueueUrl, Entries });
    const removed = await asked(AbortSignal.timeout(DELETE_TIMEOUT_MS), (options) =>
      client.send(command, options),
    );
    return removed.andThen(({ Failed: [failed] = [] }) =>
      failed === undefined ? ok() : err(unavailable(`${failed.Code}`)),
    );
  };

  const pass = async (): Promise<number> => {
    const received = await receive();
    if (stopping.aborted && received.isErr()) return 0;
    if (received.isErr()) {
      onUnreported(received.error);
      return PAUSE_AFTER_FAILURE_MS;
    }
    const messages = received.value;
    const read = await record(
      messages.map(({ MessageId = "", Body = "" }) => ({ messageId: MessageId, body: Body })),
    );
    const done = messages.filter((_, n) => read[n]?.result.isOk());
    const removed = done.length === 0 ? ok() : await remove(done);
    if (removed.isErr()) onUnreported(removed.error);
    const storeFailed = read.some(({ result }) => result.isErr() && result.error.code === "unavailable");
    return removed.isErr() || storeFailed ? PAUSE_AFTER_FAILURE_MS : 0;
  };

  return { pass, close: () => client.destroy() };
};

/**
 * Stores what SES's events in the queue say, up to ten at a time (`sesOutcomes`), and deletes from the queue what is stored, and what says
 * nothing to count. Everything else stays there: the queue hides it for its visibility timeout, and moves it to its dead letters after as
 * many attempts as it allows. After a failure of the store or of SQS, nothing is received for 5 seconds. Any number of servers can poll.
 *
 * It needs the rights `sqs:ReceiveMessage` and `sqs:DeleteMessage`.
 *
 * @throws TypeError if `aliasDomains` is empty or not a list of domain names, or `url` is not a URL
 */
export const pollOutcomes = (
  location: QueueLocation,
  { onDefect = () => {}, ...ports }: PollOutcomesPorts,
): OutcomePolling => {
  const stopping = new AbortController();
  const { pass, close } = outcomesPass(location, ports, stopping.signal);
  let polling: Loop | undefined;
  return {
    start: () => {
      polling ??= loop(pass, { failed: onDefect, pauseMs: PAUSE_AFTER_FAILURE_MS });
    },
    stop: async () => {
      stopping.abort();
      await polling?.stop();
      close();
    },
  };
};
