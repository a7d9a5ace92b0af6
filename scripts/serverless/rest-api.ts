import { createHash } from "node:crypto";
import { CORS } from "../../packages/adapter-http/src/responses/cors.ts";
import { arnOf, attribute, type Resource, type Resources, ref, sub, type Value } from "./cloudformation.ts";
import { OPEN_METHODS, OPEN_PATHS, THROTTLE } from "./open-paths.ts";
import { CLIENTS } from "./user-pool.ts";

const REST = { Condition: "IsRestApi" } as const;

/** `/v1/health` as a part of logical ids: `V1Health`. */
const idOf = (path: string): string =>
  path
    .split("/")
    .map((part) => part.replaceAll(/\W/g, ""))
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join("");

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));

/** Every path above an open one; the API's root is empty. */
const ABOVE = [
  ...new Set(
    OPEN_PATHS.flatMap((path) => {
      const parts = path.split("/");
      return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
    }),
  ),
];

/** The most specific path decides, whether or not it has the method. So each has all methods, and a rest. */
const PATHS = [...new Set([...ABOVE, ...ABOVE.map((path) => `${path}/{proxy+}`), ...OPEN_PATHS])].sort();

const resourceId = (path: string): Value =>
  path === "" ? attribute("RestApi", "RootResourceId") : ref(`RestPath${idOf(path)}`);

const resource = (path: string): Resource => ({
  Type: "AWS::ApiGateway::Resource",
  ...REST,
  Properties: {
    RestApiId: ref("RestApi"),
    ParentId: resourceId(parentOf(path)),
    PathPart: path.slice(path.lastIndexOf("/") + 1),
  },
});

const method = (path: string, name: string, isOpen: boolean): Resource => ({
  Type: "AWS::ApiGateway::Method",
  ...REST,
  Properties: {
    RestApiId: ref("RestApi"),
    ResourceId: resourceId(path),
    HttpMethod: name,
    ...(isOpen
      ? { AuthorizationType: "NONE" }
      : { AuthorizationType: "COGNITO_USER_POOLS", AuthorizerId: ref("RestAuthorizer") }),
    Integration: {
      Type: "AWS_PROXY",
      IntegrationHttpMethod: "POST",
      Uri: sub(
        "arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${ApiFunction.Arn}/invocations",
      ),
    },
  },
});

const resources: Resources = Object.fromEntries(
  PATHS.filter((path) => path !== "").map((path) => [`RestPath${idOf(path)}`, resource(path)]),
);

const methods: Resources = Object.fromEntries(
  PATHS.flatMap((path) => {
    const open = OPEN_PATHS.includes(path) ? OPEN_METHODS : [];
    return [
      [`RestAny${idOf(path)}`, method(path, "ANY", false)],
      ...["OPTIONS", ...open].map((name) => [
        `Rest${name[0]}${name.slice(1).toLowerCase()}${idOf(path)}`,
        method(path, name, true),
      ]),
    ];
  }),
);

/** A browser shows its page a response only with these headers. */
const READABLE = {
  "gatewayresponse.header.Access-Control-Allow-Origin": sub("'https://${WebDomain}'"),
  "gatewayresponse.header.Access-Control-Expose-Headers": `'${CORS.exposed.join(", ")}'`,
  "gatewayresponse.header.Vary": "'Origin'",
};

const gatewayResponse = (type: string, others: { readonly [name: string]: Value } = {}): Resource => ({
  Type: "AWS::ApiGateway::GatewayResponse",
  ...REST,
  Properties: { RestApiId: ref("RestApi"), ResponseType: type, ResponseParameters: READABLE, ...others },
});

/** By default, an expired token gets another message, and a token that cannot be verified another status. */
const unauthorized = (type: string): Resource =>
  gatewayResponse(type, {
    StatusCode: "401",
    ResponseTemplates: { "application/json": '{"message":"Unauthorized"}' },
  });

const responses: Resources = {
  RestUnauthorized: unauthorized("UNAUTHORIZED"),
  RestExpiredToken: unauthorized("EXPIRED_TOKEN"),
  RestDefault4xx: gatewayResponse("DEFAULT_4XX"),
  RestDefault5xx: gatewayResponse("DEFAULT_5XX"),
};

const authorizer: Resource = {
  Type: "AWS::ApiGateway::Authorizer",
  ...REST,
  Properties: {
    RestApiId: ref("RestApi"),
    Name: "id-tokens",
    Type: "COGNITO_USER_POOLS",
    ProviderARNs: [arnOf("UserPool")],
    IdentitySource: "method.request.header.Authorization",
    // What `aud` has to match.
    IdentityValidationExpression: sub(`^(${CLIENTS.map((client) => `\${${client}}`).join("|")})$`),
  },
};

const deployed = { ...resources, ...methods, ...responses, RestAuthorizer: authorizer };

/** A deployment never changes, so another API needs one with another name. */
const DEPLOYMENT = `RestDeployment${createHash("sha256").update(JSON.stringify(deployed)).digest("hex").slice(0, 8)}`;

export const restApi: Resources = {
  RestApi: {
    Type: "AWS::ApiGateway::RestApi",
    ...REST,
    Properties: {
      Name: ref("Name"),
      EndpointConfiguration: { Types: ["REGIONAL"] },
      DisableExecuteApiEndpoint: true,
    },
  },
  ...deployed,
  [DEPLOYMENT]: {
    Type: "AWS::ApiGateway::Deployment",
    ...REST,
    DependsOn: [...Object.keys(methods), ...Object.keys(responses)],
    Properties: { RestApiId: ref("RestApi") },
  },
  RestStage: {
    Type: "AWS::ApiGateway::Stage",
    ...REST,
    Properties: {
      RestApiId: ref("RestApi"),
      DeploymentId: ref(DEPLOYMENT),
      StageName: "api",
      MethodSettings: [{ HttpMethod: "*", ResourcePath: "/*", ...THROTTLE }],
    },
  },
};
