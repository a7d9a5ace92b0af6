import {
  arn,
  arnOf,
  either,
  NOTHING,
  policy,
  type Resource,
  type Resources,
  ref,
  sub,
  type Value,
} from "./cloudformation.ts";
import { CLIENTS, ISSUER } from "./user-pool.ts";

type Right = { readonly [name: string]: Value };

export const logGroup = (): Resource => ({
  Type: "AWS::Logs::LogGroup",
  Properties: { RetentionInDays: 30 },
});

const assumedBy = (Service: string): Value => policy({ Principal: { Service }, Action: "sts:AssumeRole" });

/** The role of a function that writes to this log, with these rights beside. */
export const role = (log: string, ...rights: readonly Right[]): Resource => ({
  Type: "AWS::IAM::Role",
  Properties: {
    AssumeRolePolicyDocument: assumedBy("lambda.amazonaws.com"),
    Policies: [
      {
        PolicyName: "rights",
        PolicyDocument: policy(
          { Action: ["logs:CreateLogStream", "logs:PutLogEvents"], Resource: arnOf(log) },
          ...rights,
        ),
      },
    ],
  },
});

/** What a server does (docs/dynamodb.md). */
const USES_TABLE: Right = {
  Action: ["BatchGetItem", "DeleteItem", "GetItem", "PutItem", "Query", "UpdateItem"].map(
    (action) => `dynamodb:${action}`,
  ),
  Resource: arnOf("Table"),
};

const READS_SECRETS: Right = {
  Action: "secretsmanager:GetSecretValue",
  Resource: [ref("LinkSecret"), ref("MailboxSecret"), either("HasRedis", ref("RedisUrlArn"), NOTHING)],
};

/**
 * SES asks for both, whatever the API's operation is called. It can ask about the recipient's identity too, if that is verified in the same
 * account, as in the sandbox. So it is the sender that is fixed.
 */
export const SENDS_MAIL: Right = {
  Action: ["ses:SendEmail", "ses:SendRawEmail"],
  Resource: [arn("ses", "identity/*"), arn("ses", "configuration-set/${ConfigurationSet}")],
  Condition: { StringEquals: { "ses:FromAddress": ref("MailFrom") } },
};

/** What a function does with its queue. */
export const reads = (queue: string): Right => ({
  Action: ["sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"],
  Resource: arnOf(queue),
});

/** The server's variables. Those that end in `_ARN` name the secret with the value. */
const VARIABLES: { readonly [name: string]: Value } = {
  POSTERN_STORE: "dynamodb",
  POSTERN_DYNAMODB_TABLE: ref("Table"),
  POSTERN_ISSUER: sub(ISSUER),
  POSTERN_AUDIENCE: { "Fn::Join": [",", CLIENTS.map(ref)] },
  POSTERN_ALIAS_DOMAINS: ref("AliasDomains"),
  POSTERN_PUBLIC_URL: sub("https://${ApiDomain}"),
  POSTERN_CORS_ORIGINS: sub("https://${WebDomain}"),
  POSTERN_LINK_SECRET_ARN: ref("LinkSecret"),
  POSTERN_MAILBOX_SECRET_ARN: ref("MailboxSecret"),
  POSTERN_SMTP_URL: sub("ses://${AWS::Region}?configuration-set=${ConfigurationSet}"),
  POSTERN_MAIL_FROM: ref("MailFrom"),
  POSTERN_REDIS_URL_ARN: either("HasRedis", ref("RedisUrlArn"), NOTHING),
  // Each instance would count alone.
  POSTERN_RATE_LIMIT: either("HasRedis", NOTHING, "0"),
  POSTERN_CREATION_LIMIT: either("HasRedis", NOTHING, "0"),
};

/** A function of the program, with its log and its role. */
export const functionOf = (
  name: string,
  handler: string,
  timeoutSeconds: number,
  rights: readonly Right[],
  {
    megabytes = 1024,
    variables = {},
  }: { readonly megabytes?: number; readonly variables?: { readonly [name: string]: Value } } = {},
): Resources => ({
  [`${name}Function`]: {
    Type: "AWS::Lambda::Function",
    Properties: {
      Runtime: "nodejs24.x",
      Architectures: ["arm64"],
      Handler: handler,
      Code: { S3Bucket: ref("CodeBucket"), S3Key: ref("CodeKey") },
      MemorySize: megabytes,
      Timeout: timeoutSeconds,
      Role: arnOf(`${name}Role`),
      LoggingConfig: { LogGroup: ref(`${name}Log`) },
      Environment: { Variables: { ...VARIABLES, ...variables } },
    },
  },
  [`${name}Log`]: logGroup(),
  [`${name}Role`]: role(`${name}Log`, USES_TABLE, READS_SECRETS, ...rights),
});

/** Invokes a function once a minute. */
export const everyMinute = (name: string): Resources => ({
  [`${name}Schedule`]: {
    Type: "AWS::Scheduler::Schedule",
    Properties: {
      ScheduleExpression: "rate(1 minute)",
      FlexibleTimeWindow: { Mode: "OFF" },
      Target: {
        Arn: arnOf(`${name}Function`),
        RoleArn: arnOf(`${name}ScheduleRole`),
        // The next minute tries again.
        RetryPolicy: { MaximumRetryAttempts: 0 },
      },
    },
  },
  [`${name}ScheduleRole`]: {
    Type: "AWS::IAM::Role",
    Properties: {
      AssumeRolePolicyDocument: assumedBy("scheduler.amazonaws.com"),
      Policies: [
        {
          PolicyName: "rights",
          PolicyDocument: policy({ Action: "lambda:InvokeFunction", Resource: arnOf(`${name}Function`) }),
        },
      ],
    },
  },
  [`${name}Invocation`]: {
    Type: "AWS::Lambda::EventInvokeConfig",
    Properties: { FunctionName: ref(`${name}Function`), Qualifier: "$LATEST", MaximumRetryAttempts: 0 },
  },
});

/** Invokes a function with the messages of a queue. */
export const fromQueue = (
  name: string,
  queue: string,
  settings: { readonly [name: string]: Value } = {},
): Resources => ({
  [`${name}Source`]: {
    Type: "AWS::Lambda::EventSourceMapping",
    Properties: {
      FunctionName: ref(`${name}Function`),
      EventSourceArn: arnOf(queue),
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      ...settings,
    },
  },
});

/** A message that is not handled is visible again after this, which AWS advises to be six times as long. */
const OUTCOMES_TIMEOUT_SECONDS = 30;
export const OUTCOMES_VISIBLE_AFTER_SECONDS = 6 * OUTCOMES_TIMEOUT_SECONDS;

export const functions: Resources = {
  ...functionOf("Api", "index.api", 10, [SENDS_MAIL]),
  ...functionOf("Events", "index.events", 60, []),
  ...functionOf("Outcomes", "index.outcomes", OUTCOMES_TIMEOUT_SECONDS, [reads("OutcomeQueue")]),
  ...everyMinute("Events"),
  ...fromQueue("Outcomes", "OutcomeQueue"),
};
