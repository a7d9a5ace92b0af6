import { startFauxqs } from "fauxqs";

const REGION = "eu-central-1";
const DEAD = "dead";
const LIVE = "outcomes";

/** A topic of SNS, a queue of SQS that gets its messages, and that of its dead letters. The caller must stop them. */
export const startQueues = async ({ attempts = 3, deadLetters = true } = {}) => {
  const aws = await startFauxqs({ port: 0, logger: false, defaultRegion: REGION });
  const { queueArn } = aws.createQueue(DEAD);
  const redrive = JSON.stringify({ deadLetterTargetArn: queueArn, maxReceiveCount: `${attempts}` });
  aws.createQueue(LIVE, {
    // What is not deleted comes back at once.
    attributes: { VisibilityTimeout: "0", ...(deadLetters && { RedrivePolicy: redrive }) },
  });
  aws.createTopic("ses");
  aws.subscribe({ topic: "ses", queue: LIVE });
  const bodies = (name: string): readonly string[] => {
    const { messages } = aws.inspectQueue(name) ?? { messages: { ready: [], inflight: [] } };
    return [...messages.ready, ...messages.inflight.map(({ message }) => message)].map(({ body }) => body);
  };
  return {
    location: {
      url: `http://127.0.0.1:${aws.port}/000000000000/${LIVE}`,
      region: REGION,
      credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "private-key" },
    },
    send: (event: unknown) => {
      aws.sendMessage(LIVE, typeof event === "string" ? event : JSON.stringify(event));
    },
    /** As SES does: the message comes to the queue in the envelope of SNS. */
    publish: (event: unknown) => {
      aws.publish("ses", JSON.stringify(event));
    },
    /** What is in the queue, hidden or not. */
    waiting: () => bodies(LIVE),
    dead: () => bodies(DEAD),
    stop: () => aws.stop(),
  };
};
