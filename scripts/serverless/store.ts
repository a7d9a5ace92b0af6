import { readFileSync } from "node:fs";
import { TABLE } from "../../packages/adapter-dynamodb/src/table.ts";
import { arnOf, kept, type Resource, type Resources, ref, table } from "./cloudformation.ts";
import { logGroup, role } from "./functions.ts";

const secret = (description: string): Resource =>
  kept({
    Type: "AWS::SecretsManager::Secret",
    Properties: {
      Description: description,
      GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true },
    },
  });

/** Twice that is how long links are encrypted with the same secret. */
const ROTATION_DAYS = 15;

export const store: Resources = {
  Table: table(ref("Name"), TABLE),
  MailboxSecret: secret("POSTERN_MAILBOX_SECRET: if it changes, no API key works"),
  LinkSecret: secret("POSTERN_LINK_SECRET"),
  LinkSecretRotation: {
    Type: "AWS::SecretsManager::RotationSchedule",
    DependsOn: "RotationPermission",
    Properties: {
      SecretId: ref("LinkSecret"),
      RotationLambdaARN: arnOf("RotationFunction"),
      RotationRules: { AutomaticallyAfterDays: ROTATION_DAYS },
    },
  },
  RotationFunction: {
    Type: "AWS::Lambda::Function",
    Properties: {
      Runtime: "nodejs24.x",
      Architectures: ["arm64"],
      Handler: "index.handler",
      Code: {
        ZipFile: readFileSync(new URL("../../deploy/serverless/rotate-secret.js", import.meta.url), "utf8"),
      },
      Timeout: 30,
      Role: arnOf("RotationRole"),
      LoggingConfig: { LogGroup: ref("RotationLog") },
    },
  },
  RotationLog: logGroup(),
  RotationRole: role("RotationLog", {
    Action: [
      "secretsmanager:DescribeSecret",
      "secretsmanager:GetSecretValue",
      "secretsmanager:PutSecretValue",
      "secretsmanager:UpdateSecretVersionStage",
    ],
    Resource: ref("LinkSecret"),
  }),
  RotationPermission: {
    Type: "AWS::Lambda::Permission",
    Properties: {
      FunctionName: ref("RotationFunction"),
      Action: "lambda:InvokeFunction",
      Principal: "secretsmanager.amazonaws.com",
      SourceAccount: ref("AWS::AccountId"),
      SourceArn: ref("LinkSecret"),
    },
  },
};
