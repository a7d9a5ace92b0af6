type Parameter = {
  readonly Type: "String";
  readonly Description: string;
  readonly Default?: string;
  readonly AllowedPattern?: string;
  readonly AllowedValues?: readonly string[];
};

const HOST = "[a-z0-9-]+(\\.[a-z0-9-]+)+";

/** What an operator chooses. */
export const PARAMETERS = {
  Name: {
    Type: "String",
    Default: "postern",
    AllowedPattern: "[a-z][a-z0-9-]{2,30}",
    Description:
      "Name of the table and of the SES configuration set; each stack in a region needs another one",
  },
  CodeBucket: { Type: "String", Description: "S3 bucket in this region with the program" },
  CodeKey: {
    Type: "String",
    Description: "Key of the zip file in that bucket; another one for each version",
  },
  ApiType: {
    Type: "String",
    Default: "http",
    AllowedValues: ["http", "rest"],
    Description: "HTTP API with a JWT authorizer, or REST API with a Cognito authorizer",
  },
  ApiDomain: {
    Type: "String",
    AllowedPattern: HOST,
    Description: "Host name of the API, which links in messages contain, such as postern.example.com",
  },
  ApiCertificate: { Type: "String", Description: "ARN of its certificate in this region" },
  WebDomain: {
    Type: "String",
    AllowedPattern: HOST,
    Description: "Host name of the browser app, such as mail.example.com",
  },
  WebCertificate: { Type: "String", Description: "ARN of its certificate in us-east-1" },
  AliasDomains: {
    Type: "String",
    // SES and IAM take spaces and capitals literally.
    AllowedPattern: `${HOST}(,${HOST})*`,
    Description: "Domains whose addresses are aliases, separated by commas only (POSTERN_ALIAS_DOMAINS)",
  },
  MailFrom: {
    Type: "String",
    AllowedPattern: "[^@]+@[^@]+",
    Description: "Sender address of verification mail; its domain is verified in SES in this region",
  },
  ReceiveMail: {
    Type: "String",
    Default: "no",
    AllowedValues: ["no", "yes"],
    Description:
      "yes if SES receives and sends the mail of the alias domains, which are verified in SES in this region; no if a server does",
  },
  RedisUrlArn: {
    Type: "String",
    Default: "",
    Description:
      "ARN of a secret with the URL of a Redis that counts the requests of each account; without it, only the gateway limits requests",
  },
  AlarmEmail: {
    Type: "String",
    AllowedPattern: "[^@]+@[^@]+",
    Description:
      "Mailbox outside the alias domains that gets alarms, and mail to their postmaster@ and abuse@",
  },
} satisfies Readonly<Record<string, Parameter>>;

export const CONDITIONS = {
  IsHttpApi: { "Fn::Equals": [{ Ref: "ApiType" }, "http"] },
  IsRestApi: { "Fn::Not": [{ Condition: "IsHttpApi" }] },
  ReceivesMail: { "Fn::Equals": [{ Ref: "ReceiveMail" }, "yes"] },
  HasRedis: { "Fn::Not": [{ "Fn::Equals": [{ Ref: "RedisUrlArn" }, ""] }] },
};
