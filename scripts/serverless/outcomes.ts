import { arn, arnOf, policy, type Resources, ref } from "./cloudformation.ts";
import { OUTCOMES_VISIBLE_AFTER_SECONDS } from "./functions.ts";

const FOURTEEN_DAYS = 14 * 24 * 60 * 60;

/** Events of SES, on their way to the function that counts them. */
export const outcomes: Resources = {
  ConfigurationSet: { Type: "AWS::SES::ConfigurationSet", Properties: { Name: ref("Name") } },
  OutcomeDestination: {
    Type: "AWS::SES::ConfigurationSetEventDestination",
    Properties: {
      ConfigurationSetName: ref("ConfigurationSet"),
      EventDestination: {
        Name: "outcomes",
        Enabled: true,
        // Not open and click: for these, SES changes messages.
        MatchingEventTypes: ["send", "delivery", "bounce", "complaint", "reject", "deliveryDelay"],
        // SES publishes to no other bus.
        EventBridgeDestination: {
          EventBusArn: arn("events", "event-bus/default"),
        },
      },
    },
  },
  OutcomeRule: {
    Type: "AWS::Events::Rule",
    Properties: {
      EventPattern: {
        source: ["aws.ses"],
        detail: { mail: { tags: { "ses:configuration-set": [ref("ConfigurationSet")] } } },
      },
      Targets: [{ Id: "queue", Arn: arnOf("OutcomeQueue"), InputPath: "$.detail" }],
    },
  },
  OutcomeQueue: {
    Type: "AWS::SQS::Queue",
    Properties: {
      VisibilityTimeout: OUTCOMES_VISIBLE_AFTER_SECONDS,
      MessageRetentionPeriod: FOURTEEN_DAYS,
      // Five hours: the store can be down that long.
      RedrivePolicy: { deadLetterTargetArn: arnOf("DeadOutcomes"), maxReceiveCount: 100 },
      SqsManagedSseEnabled: true,
    },
  },
  DeadOutcomes: {
    Type: "AWS::SQS::Queue",
    Properties: { MessageRetentionPeriod: FOURTEEN_DAYS, SqsManagedSseEnabled: true },
  },
  OutcomeQueuePolicy: {
    Type: "AWS::SQS::QueuePolicy",
    Properties: {
      Queues: [ref("OutcomeQueue")],
      PolicyDocument: policy({
        Principal: { Service: "events.amazonaws.com" },
        Action: "sqs:SendMessage",
        Resource: arnOf("OutcomeQueue"),
        Condition: { ArnEquals: { "aws:SourceArn": arnOf("OutcomeRule") } },
      }),
    },
  },
};
