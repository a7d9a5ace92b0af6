import { SPOOL_TABLE } from "../../packages/adapter-dynamodb/src/spool/create-spool-table.ts";
import { SPOOL_PREFIX } from "../../packages/server/src/lambda/spool-prefix.ts";
import {
  arn,
  arnOf,
  policy,
  privateBucket,
  type Resources,
  ref,
  sub,
  table,
  type Value,
} from "./cloudformation.ts";
import { everyMinute, fromQueue, functionOf, reads, SENDS_MAIL } from "./functions.ts";
import { queue, RETENTION_DAYS } from "./queues.ts";

/** The function waits for another instance for up to two of these. */
const TIMEOUT_SECONDS = 180;

/** AWS advises six times as long as the function may take. Nobody waits that long for mail that is only delayed. */
export const RECEIVED_VISIBLE_AFTER_SECONDS = 2 * TIMEOUT_SECONDS;

/** What the keys of messages that SES stores begin with. */
const PREFIX = "received/";

const RULE = arn("ses", "receipt-rule-set/${Name}:receipt-rule/${Name}");

/** The alias domains, each after this text. */
const eachDomainAfter = (before: string): Value => ({
  "Fn::Split": [
    ",",
    { "Fn::Sub": [`${before}\${Domains}`, { Domains: { "Fn::Join": [`,${before}`, domains] } }] },
  ],
});
const domains: Value = { "Fn::Split": [",", ref("AliasDomains")] };

/** For SES, about its own rule, which exists after them. */
const fromRule = { StringEquals: { "aws:SourceAccount": ref("AWS::AccountId"), "aws:SourceArn": RULE } };

const resources: Resources = {
  SpoolTable: table(sub("${Name}-spool"), SPOOL_TABLE),
  MailBucket: privateBucket({
    // What nobody has taken in: the notification is gone too.
    LifecycleConfiguration: {
      Rules: [{ Status: "Enabled", Prefix: PREFIX, ExpirationInDays: RETENTION_DAYS + 1 }],
    },
  }),
  MailBucketPolicy: {
    Type: "AWS::S3::BucketPolicy",
    Properties: {
      Bucket: ref("MailBucket"),
      PolicyDocument: policy({
        Principal: { Service: "ses.amazonaws.com" },
        Action: "s3:PutObject",
        Resource: sub(`\${MailBucket.Arn}/${PREFIX}*`),
        Condition: fromRule,
      }),
    },
  },
  ReceiptRules: { Type: "AWS::SES::ReceiptRuleSet", Properties: { RuleSetName: ref("Name") } },
  ReceiptRule: {
    Type: "AWS::SES::ReceiptRule",
    DependsOn: ["MailBucketPolicy", "ReceivedTopicPolicy"],
    Properties: {
      RuleSetName: ref("ReceiptRules"),
      Rule: {
        Name: ref("Name"),
        Enabled: true,
        ScanEnabled: true,
        Recipients: domains,
        Actions: [
          {
            S3Action: {
              BucketName: ref("MailBucket"),
              ObjectKeyPrefix: PREFIX,
              TopicArn: ref("ReceivedTopic"),
            },
          },
        ],
      },
    },
  },
  ReceivedTopic: { Type: "AWS::SNS::Topic", Properties: {} },
  ReceivedTopicPolicy: {
    Type: "AWS::SNS::TopicPolicy",
    Properties: {
      Topics: [ref("ReceivedTopic")],
      PolicyDocument: policy({
        Principal: { Service: "ses.amazonaws.com" },
        Action: "sns:Publish",
        Resource: ref("ReceivedTopic"),
        Condition: fromRule,
      }),
    },
  },
  ReceivedSubscription: {
    Type: "AWS::SNS::Subscription",
    DependsOn: "ReceivedQueuePolicy",
    Properties: {
      TopicArn: ref("ReceivedTopic"),
      Protocol: "sqs",
      Endpoint: arnOf("ReceivedQueue"),
      RawMessageDelivery: true,
    },
  },
  ...queue("ReceivedQueue", {
    dead: "DeadMail",
    visibleAfterSeconds: RECEIVED_VISIBLE_AFTER_SECONDS,
    // More than four days: senders try as long.
    attempts: 1_000,
    service: "sns.amazonaws.com",
    source: ref("ReceivedTopic"),
  }),
  ...functionOf(
    "Inbound",
    "index.inbound",
    TIMEOUT_SECONDS,
    [
      {
        ...SENDS_MAIL,
        // What recipients see as the sender is an address of an alias domain.
        Condition: { StringLike: { "ses:FromAddress": eachDomainAfter("*@") } },
      },
      reads("ReceivedQueue"),
      {
        Action: ["BatchGetItem", "DeleteItem", "PutItem", "Query", "UpdateItem"].map(
          (action) => `dynamodb:${action}`,
        ),
        Resource: arnOf("SpoolTable"),
      },
      { Action: ["s3:DeleteObject", "s3:GetObject"], Resource: sub("${MailBucket.Arn}/*") },
      { Action: "s3:PutObject", Resource: sub(`\${MailBucket.Arn}/${SPOOL_PREFIX}*`) },
      { Action: "s3:ListBucket", Resource: arnOf("MailBucket") },
    ],
    {
      // A message of 40 MB takes up three times as much while it is sent, and five are sent at once.
      megabytes: 2048,
      variables: {
        POSTERN_MAIL_BUCKET: ref("MailBucket"),
        POSTERN_SPOOL_TABLE: ref("SpoolTable"),
        POSTERN_MX_NAME: ref("ApiDomain"),
        POSTERN_POSTMASTER: ref("AlarmEmail"),
      },
    },
  ),
  ...everyMinute("Inbound"),
  // One instance works at a time; two is the least that can be set.
  ...fromQueue("Inbound", "ReceivedQueue", { ScalingConfig: { MaximumConcurrency: 2 } }),
};

/** What exists only if mail is received without a server. */
export const ifReceiving = (all: Resources): Resources =>
  Object.fromEntries(
    Object.entries(all).map(([name, resource]) => [name, { ...resource, Condition: "ReceivesMail" }]),
  );

/** Mail that SES receives and sends, without a server. */
export const inbound = ifReceiving(resources);
