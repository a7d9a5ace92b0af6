import { attribute, either, type Resource, type Resources, ref, type Value } from "./cloudformation.ts";
import { OUTCOMES_VISIBLE_AFTER_SECONDS } from "./functions.ts";
import { ifReceiving, RECEIVED_VISIBLE_AFTER_SECONDS } from "./inbound.ts";

type Metric = {
  /** What has happened. */
  readonly says: string;
  readonly Namespace: `AWS/${string}` | "Postern";
  readonly MetricName: Value;
  readonly Dimensions?: readonly Value[];
  readonly Statistic?: "Maximum" | "Sum";
  readonly ExtendedStatistic?: string;
  readonly ComparisonOperator?: "LessThanThreshold";
  readonly Threshold: number;
  /** How many periods of five minutes in a row. */
  readonly EvaluationPeriods?: number;
  /** What no data means, if not that all is well. */
  readonly TreatMissingData?: "breaching";
};

const alarm = ({ says, ...metric }: Metric): Resource => ({
  Type: "AWS::CloudWatch::Alarm",
  Properties: {
    AlarmDescription: says,
    Period: 300,
    EvaluationPeriods: 1,
    ComparisonOperator: "GreaterThanThreshold",
    TreatMissingData: "notBreaching",
    AlarmActions: [ref("Alarms")],
    ...metric,
  },
});

const ofFunction = (name: string): Pick<Metric, "Namespace" | "Dimensions" | "Statistic"> => ({
  Namespace: "AWS/Lambda",
  Dimensions: [{ Name: "FunctionName", Value: ref(`${name}Function`) }],
  Statistic: "Sum",
});

const ofQueue = (name: string): Pick<Metric, "Namespace" | "Dimensions" | "Statistic"> => ({
  Namespace: "AWS/SQS",
  Dimensions: [{ Name: "QueueName", Value: attribute(name, "QueueName") }],
  Statistic: "Maximum",
});

const OF_API: Pick<Metric, "Namespace" | "Dimensions"> = {
  Namespace: "AWS/ApiGateway",
  Dimensions: [
    either("IsHttpApi", { Name: "ApiId", Value: ref("HttpApi") }, { Name: "ApiName", Value: ref("Name") }),
  ],
};

/** One of the metrics that functions write to their logs, with the names that Prometheus has. */
const ofPostern = (
  MetricName: string,
  dimensions: Readonly<Record<string, string>> = {},
): Pick<Metric, "Namespace" | "MetricName" | "Dimensions" | "Statistic"> => ({
  Namespace: "Postern",
  MetricName,
  Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
  Statistic: "Sum",
});

const failed = (name: string): [string, Resource] => [
  `${name}Failed`,
  alarm({
    says: "A function failed or ran out of time",
    ...ofFunction(name),
    MetricName: "Errors",
    Threshold: 0,
  }),
];

/**
 * Goes off when the function has been given a message twice, and the message still waits. The metric leaves out what has been given to it
 * three times (AWS's documentation of SQS), so a longer wait would never be seen.
 */
const waits = (says: string, queue: string, visibleAfterSeconds: number): Resource =>
  alarm({
    says,
    ...ofQueue(queue),
    MetricName: "ApproximateAgeOfOldestMessage",
    Threshold: 1.5 * visibleAfterSeconds,
  });

/** For mail that functions receive and send. */
const alarmsOfInbound: Resources = {
  ...Object.fromEntries([failed("Inbound")]),
  ReceivedWaits: waits(
    "Mail that SES has received waits: it was not taken in, twice",
    "ReceivedQueue",
    RECEIVED_VISIBLE_AFTER_SECONDS,
  ),
  ReceivedDead: alarm({
    says: "Mail that SES has received could not be taken in",
    ...ofQueue("DeadMail"),
    MetricName: "ApproximateNumberOfMessagesVisible",
    Threshold: 0,
  }),
  RelayUnusable: alarm({
    says: "SES sends nothing for us: mail waits",
    ...ofPostern("postern_mail_copies_total", { result: "relay" }),
    Threshold: 0,
    EvaluationPeriods: 3,
  }),
  SpoolFailing: alarm({
    says: "Calls of the spool fail",
    ...ofPostern("postern_mail_spool_failures_total"),
    Threshold: 0,
  }),
};

/** What docs/operations.md has alerts for, as far as functions and AWS measure it. */
export const alarms: Resources = {
  Alarms: {
    Type: "AWS::SNS::Topic",
    Properties: { Subscription: [{ Protocol: "email", Endpoint: ref("AlarmEmail") }] },
  },
  ...Object.fromEntries(["Api", "Events", "Outcomes", "Rotation"].map(failed)),
  Defect: alarm({
    says: "Requests get 500",
    ...ofPostern("postern_http_responses_total", { status: "500" }),
    Threshold: 0,
  }),
  StoreFailing: alarm({
    says: "Calls of DynamoDB fail",
    ...ofPostern("postern_store_failures_total"),
    Threshold: 0,
  }),
  MailNotSent: alarm({
    says: "Verification messages are not sent",
    ...ofPostern("postern_mail_messages_total", { result: "not_sent" }),
    Threshold: 0,
  }),
  MailUnknown: alarm({
    says: "Nobody knows whether verification messages were sent",
    ...ofPostern("postern_mail_messages_total", { result: "unknown" }),
    Threshold: 0,
  }),
  MailRefused: alarm({
    says: "SES refuses verification messages",
    ...ofPostern("postern_mail_messages_total", { result: "refused" }),
    Threshold: 5,
  }),
  RequestsNotCounted: alarm({
    says: "Redis does not respond: there are no rate limits",
    ...ofPostern("postern_rate_limit_uncounted_total"),
    Threshold: 0,
  }),
  ApiThrottled: alarm({
    says: "Lambda runs no more instances at once",
    ...ofFunction("Api"),
    MetricName: "Throttles",
    Threshold: 0,
  }),
  ApiUnavailable: alarm({
    says: "Requests get 5xx",
    ...OF_API,
    MetricName: either("IsHttpApi", "5xx", "5XXError"),
    Statistic: "Sum",
    Threshold: 5,
  }),
  ApiSlow: alarm({
    says: "One request in a hundred takes over two seconds",
    ...OF_API,
    MetricName: "Latency",
    ExtendedStatistic: "p99",
    Threshold: 2000,
    EvaluationPeriods: 2,
  }),
  EventsStopped: alarm({
    says: "Nothing is sent to webhooks: the function was not called",
    ...ofFunction("Events"),
    MetricName: "Invocations",
    ComparisonOperator: "LessThanThreshold",
    Threshold: 1,
    TreatMissingData: "breaching",
  }),
  OutcomesUncounted: waits(
    "Outcomes of mail wait: they were not counted, twice",
    "OutcomeQueue",
    OUTCOMES_VISIBLE_AFTER_SECONDS,
  ),
  OutcomesDead: alarm({
    says: "Outcomes of mail could not be counted",
    ...ofQueue("DeadOutcomes"),
    MetricName: "ApproximateNumberOfMessagesVisible",
    Threshold: 0,
  }),
  MailBounces: alarm({
    says: "SES reviews accounts with a bounce rate over 5 %",
    Namespace: "AWS/SES",
    MetricName: "Reputation.BounceRate",
    Statistic: "Maximum",
    Threshold: 0.05,
  }),
  MailComplaints: alarm({
    says: "SES reviews accounts with a complaint rate over 0.1 %",
    Namespace: "AWS/SES",
    MetricName: "Reputation.ComplaintRate",
    Statistic: "Maximum",
    Threshold: 0.001,
  }),
  ...ifReceiving(alarmsOfInbound),
};
