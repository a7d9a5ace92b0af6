import { arnOf, policy, type Resources, ref, type Value } from "./cloudformation.ts";

/** How long messages stay in queues, in days. */
export const RETENTION_DAYS = 14;

const KEPT = { MessageRetentionPeriod: RETENTION_DAYS * 24 * 60 * 60, SqsManagedSseEnabled: true };

/** A queue, that of its dead letters, and the right of one sender to fill it. */
export const queue = (
  name: string,
  {
    dead,
    visibleAfterSeconds,
    attempts,
    service,
    source,
  }: {
    /** The name of the queue of dead letters. */
    readonly dead: string;
    readonly visibleAfterSeconds: number;
    readonly attempts: number;
    /** The service that sends, and the ARN of what it sends for. */
    readonly service: string;
    readonly source: Value;
  },
): Resources => ({
  [name]: {
    Type: "AWS::SQS::Queue",
    Properties: {
      VisibilityTimeout: visibleAfterSeconds,
      RedrivePolicy: { deadLetterTargetArn: arnOf(dead), maxReceiveCount: attempts },
      ...KEPT,
    },
  },
  [dead]: { Type: "AWS::SQS::Queue", Properties: KEPT },
  [`${name}Policy`]: {
    Type: "AWS::SQS::QueuePolicy",
    Properties: {
      Queues: [ref(name)],
      PolicyDocument: policy({
        Principal: { Service: service },
        Action: "sqs:SendMessage",
        Resource: arnOf(name),
        Condition: { ArnEquals: { "aws:SourceArn": source } },
      }),
    },
  },
});
