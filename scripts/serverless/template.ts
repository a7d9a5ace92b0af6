import type { WebSettings } from "../../packages/server/src/configuration/web-app.ts";
import { alarms } from "./alarms.ts";
import { arnOf, attribute, ref, sub, type Value } from "./cloudformation.ts";
import { functions } from "./functions.ts";
import { gateway } from "./gateway.ts";
import { httpApi } from "./http-api.ts";
import { inbound } from "./inbound.ts";
import { outcomes } from "./outcomes.ts";
import { CONDITIONS, PARAMETERS } from "./parameters.ts";
import { restApi } from "./rest-api.ts";
import { store } from "./store.ts";
import { CLIENTS, ISSUER, userPool } from "./user-pool.ts";
import { webApp } from "./web-app.ts";

export const TEMPLATE_FILE = new URL("../../deploy/serverless/template.json", import.meta.url);

const output = (description: string, value: Value) => ({ Description: description, Value: value });

export const template = {
  AWSTemplateFormatVersion: "2010-09-09",
  Description: "Postern on API Gateway, Lambda, DynamoDB and SES (docs/serverless.md)",
  Parameters: PARAMETERS,
  Conditions: CONDITIONS,
  Resources: {
    ...store,
    ...userPool,
    ...functions,
    ...gateway,
    ...httpApi,
    ...restApi,
    ...outcomes,
    ...inbound,
    ...webApp,
    ...alarms,
  },
  Outputs: {
    ApiTarget: output("What ApiDomain is a CNAME of", attribute("ApiDomainName", "RegionalDomainName")),
    WebTarget: output("What WebDomain is a CNAME of", attribute("WebDistribution", "DomainName")),
    WebBucket: output("Bucket for the files of the browser app", ref("WebBucket")),
    WebSettings: output(
      "settings.json of the browser app",
      sub(
        JSON.stringify({
          api: "https://${ApiDomain}/v1",
          issuer: ISSUER,
          client: "${BrowserClient}",
          sign_in: ["srp", "oidc"],
        } satisfies WebSettings),
      ),
    ),
    UserPool: output("Id of the user pool", ref("UserPool")),
    Issuer: output("POSTERN_ISSUER", sub(ISSUER)),
    Audience: output("POSTERN_AUDIENCE", { "Fn::Join": [",", CLIENTS.map(ref)] }),
    ...Object.fromEntries(CLIENTS.map((client) => [client, output("Id of an app client", ref(client))])),
    LinkSecret: output("ARN of the secret with POSTERN_LINK_SECRET", ref("LinkSecret")),
    DeadOutcomes: output("ARN of the queue with the dead letters of outcomes", arnOf("DeadOutcomes")),
    DeadMail: {
      ...output("ARN of the queue with the dead letters of received mail", arnOf("DeadMail")),
      Condition: "ReceivesMail",
    },
    MailboxSecret: output("ARN of the secret with POSTERN_MAILBOX_SECRET", ref("MailboxSecret")),
  },
};

/** The CloudFormation template, as deploy/serverless/template.json has it. */
export const serverlessTemplate = (): string => `${JSON.stringify(template, null, 2)}\n`;
