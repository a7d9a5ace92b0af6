import { arn, arnOf, type Resources, ref } from "./cloudformation.ts";
import { OUTCOMES_VISIBLE_AFTER_SECONDS } from "./functions.ts";
import { queue } from "./queues.ts";

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
  ...queue("OutcomeQueue", {
    dead: "DeadOutcomes",
    visibleAfterSeconds: OUTCOMES_VISIBLE_AFTER_SECONDS,
    // Five hours: the store can be down that long.
    attempts: 100,
    service: "events.amazonaws.com",
    source: arnOf("OutcomeRule"),
  }),
};
