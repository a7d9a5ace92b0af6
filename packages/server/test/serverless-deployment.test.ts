import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { PREFIXES, ROUTES } from "../../adapter-http/src/routes/routes.ts";
import { readConfiguration } from "../src/configuration/configuration.ts";
import { contentSecurityPolicy } from "../src/serve/web/web-headers.ts";
import { objectsIn, ofType, template } from "./support/cloudformation/our-template.ts";
import { isObject, type Json } from "./support/cloudformation/template.ts";
import { resourceType } from "./support/cloudformation/types.ts";
import { documentedRights } from "./support/documented-rights.ts";

describe("who needs a token", () => {
  /** What the routes say that needs none: `GET /v1/health`. Every GET route supports HEAD too. */
  const open = PREFIXES.flatMap((prefix) =>
    ROUTES.filter((route) => route.open).flatMap(({ path }) => [
      `GET ${prefix}${path}`,
      `HEAD ${prefix}${path}`,
    ]),
  );

  test("everybody at the HTTP API, except for the open routes and preflights", () => {
    const routes = [...ofType("AWS::ApiGatewayV2::Route").values()];
    const keys = (type: string) =>
      routes.filter(({ AuthorizationType }) => AuthorizationType === type).map(({ RouteKey }) => RouteKey);
    expect(new Set(keys("NONE"))).toEqual(new Set([...open, "OPTIONS /{proxy+}"]));
    expect(keys("JWT")).toEqual(["$default"]);
    expect(routes).toHaveLength(open.length + 2);
  });

  test("everybody at the REST API, except for the open routes and preflights, on every path", () => {
    const resources = ofType("AWS::ApiGateway::Resource");
    const root = { "Fn::GetAtt": ["RestApi", "RootResourceId"] };
    const pathOf = (id: Json | undefined): string => {
      if (JSON.stringify(id) === JSON.stringify(root)) return "";
      const { ParentId, PathPart } = resources.get(isObject(id) ? String(id["Ref"]) : "") ?? {};
      return `${pathOf(ParentId)}/${String(PathPart)}`;
    };
    const methods = [...ofType("AWS::ApiGateway::Method").values()].map((method) => ({
      path: pathOf(method["ResourceId"]),
      name: String(method["HttpMethod"]),
      type: method["AuthorizationType"],
    }));
    const paths = ["", ...[...resources.keys()].map((name) => pathOf({ Ref: name }))];
    const keys = (wanted: string) =>
      new Set(methods.filter(({ type }) => type === wanted).map(({ name, path }) => `${name} ${path}`));
    expect(keys("NONE")).toEqual(new Set([...open, ...paths.map((path) => `OPTIONS ${path}`)]));
    expect(keys("COGNITO_USER_POOLS")).toEqual(new Set(paths.map((path) => `ANY ${path}`)));
    // A path that leads to others takes every other one too.
    const above = paths.filter((path) => paths.some((other) => other.startsWith(`${path}/`)));
    expect(paths).toEqual(expect.arrayContaining(above.map((path) => `${path}/{proxy+}`)));
  });

  test("no API has scopes, and none can be reached past its domain", () => {
    expect(JSON.stringify(template)).not.toContain("AuthorizationScopes");
    for (const type of ["AWS::ApiGatewayV2::Api", "AWS::ApiGateway::RestApi"])
      for (const api of ofType(type).values()) expect(api["DisableExecuteApiEndpoint"]).toBe(true);
  });
});

describe("responses of a REST API that no handler has made", () => {
  const responses = [...ofType("AWS::ApiGateway::GatewayResponse").values()];

  test.each(["UNAUTHORIZED", "EXPIRED_TOKEN"])("%s is the specified 401", (type) => {
    const { StatusCode, ResponseTemplates } =
      responses.find(({ ResponseType }) => ResponseType === type) ?? expect.unreachable();
    expect(StatusCode).toBe("401");
    expect(ResponseTemplates).toEqual({ "application/json": '{"message":"Unauthorized"}' });
  });

  test("all can be read by the browser app", () => {
    expect(responses.map(({ ResponseType }) => ResponseType)).toEqual(
      expect.arrayContaining(["DEFAULT_4XX", "DEFAULT_5XX"]),
    );
    for (const { ResponseParameters } of responses)
      expect(JSON.stringify(ResponseParameters)).toContain(
        `"gatewayresponse.header.Access-Control-Allow-Origin":{"Fn::Sub":"'https://\${WebDomain}'"}`,
      );
  });
});

test("alias domains are a list that POSTERN_ALIAS_DOMAINS, SES and IAM read alike", () => {
  const { AllowedPattern = "" } = template.Parameters["AliasDomains"] ?? {};
  const isAllowed = (list: string) => new RegExp(`^(?:${AllowedPattern})$`).test(list);
  expect(["alias.example", "alias.example,mail-2.example.net"].map(isAllowed)).toEqual([true, true]);
  expect(["", "alias.example, b.example", "A.example", "a.example,"].map(isAllowed)).toEqual(
    Array(4).fill(false),
  );
});

test("what a failed deployment leaves behind has no name that the next one needs", () => {
  const left = Object.entries(template.Resources).filter(
    ([, { DeletionPolicy }]) => DeletionPolicy === "Retain",
  );
  expect(left.length).toBeGreaterThan(0);
  const named = left.filter(([, { Type, Properties }]) =>
    resourceType(Type)?.primaryIdentifier?.every((name) => name in Properties),
  );
  expect(named.map(([name]) => name)).toEqual([]);
});

test("alarms about a queue go off before a message has been received three times, and is no longer measured", () => {
  const alarms = [...ofType("AWS::CloudWatch::Alarm").values()].filter(
    ({ MetricName }) => MetricName === "ApproximateAgeOfOldestMessage",
  );
  expect(alarms).toHaveLength(2);
  for (const alarm of alarms) {
    const [queue] = objectsIn(alarm).flatMap(({ "Fn::GetAtt": attribute }) => attribute ?? []);
    const visibleAfter = Number(ofType("AWS::SQS::Queue").get(String(queue))?.["VisibilityTimeout"]);
    expect(alarm["Threshold"]).toBeGreaterThan(visibleAfter);
    expect(alarm["Threshold"]).toBeLessThan(2 * visibleAfter);
  }
});

describe("rights", () => {
  const statements = objectsIn(Object.values(template.Resources).map(({ Properties }) => Properties)).filter(
    ({ Effect }) => Effect !== undefined,
  );
  const listOf = (value: Json | undefined): readonly Json[] => [value ?? []].flat();

  test("are allowed by name, on resources by name", () => {
    expect(statements.length).toBeGreaterThan(10);
    const wide = /"(?:\w+:)?\*"/;
    expect(statements.filter((statement) => wide.test(JSON.stringify(statement)))).toEqual([]);
    expect(statements.filter(({ NotAction, NotResource }) => NotAction ?? NotResource)).toEqual([]);
  });

  /** What the role of a function allows on one service, without the service's name. */
  const rightsOf = (role: string, service: string): readonly string[] =>
    objectsIn(ofType("AWS::IAM::Role").get(role) ?? {})
      .flatMap(({ Action }) => listOf(Action).map(String))
      .filter((action) => action.startsWith(`${service}:`))
      .map((action) => action.slice(service.length + 1))
      .toSorted();

  test.each(["ApiRole", "EventsRole", "OutcomesRole"])(
    "%s can do on the table what a server does",
    (role) => {
      expect(rightsOf(role, "dynamodb")).toEqual(documentedRights("a server"));
    },
  );

  test("the function that receives mail can do what a spool and the bucket of SES need, besides", () => {
    const readme = readFileSync(new URL("../../adapter-dynamodb/README.md", import.meta.url), "utf8");
    const [sentence = expect.unreachable()] = /It needs the rights[^.]+\./s.exec(readme) ?? [];
    const [dynamodb = "", s3 = ""] = sentence.split(/on the\s+table/);
    const named = (text: string) =>
      [...text.matchAll(/`(?:\w+:)?(\w+)`/g)].map(([, action = ""]) => action).toSorted();
    expect(rightsOf("InboundRole", "dynamodb")).toEqual(
      [...documentedRights("a server"), ...named(dynamodb)].toSorted(),
    );
    expect(rightsOf("InboundRole", "s3")).toEqual(named(s3));
    expect(rightsOf("InboundRole", "ses")).toEqual(["SendEmail", "SendRawEmail"]);
    expect(rightsOf("InboundRole", "sqs")).toEqual(["DeleteMessage", "GetQueueAttributes", "ReceiveMessage"]);
  });

  test("neither what SES stores can be forged by the function, nor what the spool stores by SES", () => {
    const puts = statements.filter(({ Action }) => listOf(Action).includes("s3:PutObject"));
    expect(puts.map(({ Resource }) => Resource).toSorted()).toEqual([
      { "Fn::Sub": `\${MailBucket.Arn}/received/*` },
      { "Fn::Sub": `\${MailBucket.Arn}/spool/*` },
    ]);
  });

  test("only the API sends mail, and only the function of outcomes reads their queue", () => {
    const source = readFileSync(new URL("../../adapter-ses/src/ses-mail.ts", import.meta.url), "utf8");
    expect([...source.matchAll(/new (\w+)Command\(/g)].map(([, name]) => name)).toEqual(["SendEmail"]);
    // SES asks for the second one if the message is raw (docs/mail.md).
    const sends = ["SendEmail", "SendRawEmail"];
    expect(["ApiRole", "EventsRole", "OutcomesRole"].map((role) => rightsOf(role, "ses"))).toEqual([
      sends,
      [],
      [],
    ]);
    // What AWS asks of the role of a function with a queue.
    const reads = ["DeleteMessage", "GetQueueAttributes", "ReceiveMessage"];
    expect(["ApiRole", "EventsRole", "OutcomesRole"].map((role) => rightsOf(role, "sqs"))).toEqual([
      [],
      [],
      reads,
    ]);
  });
});

describe("with values of an operator,", () => {
  const values: Readonly<Record<string, string>> = {
    Name: "postern",
    ApiDomain: "postern.mail.test",
    WebDomain: "app.mail.test",
    AliasDomains: "alias.mail.test",
    MailFrom: "postern@mail.test",
    UserPool: "eu-central-1_AbCdEf",
    UserPoolDomain: "postern-1",
    "AWS::Region": "eu-central-1",
    ConfigurationSet: "postern",
  };

  /** A value of the template as text. What is not known is its own name. */
  const text = (value: Json | undefined): string => {
    const valueOf = (name: Json | undefined) => values[String(name)] ?? String(name);
    if (!isObject(value)) return String(value);
    const { Ref, "Fn::Sub": pattern, "Fn::Join": join, "Fn::If": branches } = value;
    if (Ref === "AWS::NoValue") return "";
    if (Ref !== undefined) return valueOf(Ref);
    // No condition holds: it is a REST API, and there is no Redis.
    if (Array.isArray(branches)) return text(branches[2]);
    if (Array.isArray(join)) return listOfTexts(join[1]).join(String(join[0]));
    return String(pattern).replaceAll(/\$\{([\w:.]+)\}/g, (_, name) => valueOf(name));
  };
  const listOfTexts = (value: Json | undefined): readonly string[] =>
    Array.isArray(value) ? value.map((each) => text(each)) : [];

  const { Environment } = ofType("AWS::Lambda::Function").get("ApiFunction") ?? expect.unreachable();
  const variables = objectsIn(Environment ?? {})[1] ?? expect.unreachable();
  const SECRET = "0123456789abcdefghijklmnopqrstuvwxyzABCD";
  const environment = Object.fromEntries(
    Object.entries(variables)
      .map(([name, value]) => [name, text(value)] as const)
      .filter(([, value]) => value !== "")
      .map(([name, value]) => (name.endsWith("_ARN") ? [name.slice(0, -4), SECRET] : [name, value])),
  );

  test("the functions have a valid configuration, and the app is allowed to call what it calls", () => {
    const configuration = readConfiguration({
      ...environment,
      POSTERN_WEB_URL: `https://${values["WebDomain"]}`,
      POSTERN_WEB_SIGN_IN: "srp,oidc",
      POSTERN_WEB_TOKEN_ORIGIN: "https://postern-1.auth.eu-central-1.amazoncognito.com",
    });
    if (configuration.isErr()) return expect.unreachable(JSON.stringify(configuration.error));
    expect(configuration.value).toMatchObject({
      store: "dynamodb",
      dynamodbTable: "Table",
      identity: { audience: ["BrowserClient", "CommandLineClient", "ScriptClient"] },
      corsOrigins: expect.arrayContaining(["https://app.mail.test"]),
    });
    const { web } = configuration.value;
    const policies = objectsIn(ofType("AWS::CloudFront::ResponseHeadersPolicy").get("WebHeaders") ?? {});
    const policy = policies.find((each) => "Override" in each && "ContentSecurityPolicy" in each);
    expect(text(policy?.["ContentSecurityPolicy"])).toBe(contentSecurityPolicy(web?.calls ?? []));
    expect(JSON.parse(text(template.Outputs["WebSettings"]?.Value))).toEqual(web?.settings);
  });
});
