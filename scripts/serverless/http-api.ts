import { CORS } from "../../packages/adapter-http/src/responses/cors.ts";
import { arnOf, type Resource, type Resources, ref, sub } from "./cloudformation.ts";
import { OPEN_METHODS, OPEN_PATHS, THROTTLE } from "./open-paths.ts";
import { CLIENTS, ISSUER } from "./user-pool.ts";

const route = (key: string, isOpen: boolean): Resource => ({
  Type: "AWS::ApiGatewayV2::Route",
  Condition: "IsHttpApi",
  Properties: {
    ApiId: ref("HttpApi"),
    RouteKey: key,
    Target: sub("integrations/${HttpIntegration}"),
    ...(isOpen
      ? { AuthorizationType: "NONE" }
      : { AuthorizationType: "JWT", AuthorizerId: ref("HttpAuthorizer") }),
  },
});

/** The routes that need no token. Without the last one, preflights would need one (AWS's documentation of CORS for HTTP APIs). */
const OPEN = [
  ...OPEN_PATHS.flatMap((path) => OPEN_METHODS.map((method) => `${method} ${path}`)),
  "OPTIONS /{proxy+}",
];

export const httpApi: Resources = {
  HttpApi: {
    Type: "AWS::ApiGatewayV2::Api",
    Condition: "IsHttpApi",
    Properties: {
      Name: ref("Name"),
      ProtocolType: "HTTP",
      DisableExecuteApiEndpoint: true,
      CorsConfiguration: {
        AllowOrigins: [sub("https://${WebDomain}")],
        AllowMethods: CORS.methods,
        AllowHeaders: CORS.headers,
        ExposeHeaders: CORS.exposed,
        MaxAge: CORS.maxAgeSeconds,
      },
    },
  },
  HttpAuthorizer: {
    Type: "AWS::ApiGatewayV2::Authorizer",
    Condition: "IsHttpApi",
    Properties: {
      ApiId: ref("HttpApi"),
      Name: "id-tokens",
      AuthorizerType: "JWT",
      IdentitySource: ["$request.header.Authorization"],
      JwtConfiguration: { Issuer: sub(ISSUER), Audience: CLIENTS.map(ref) },
    },
  },
  HttpIntegration: {
    Type: "AWS::ApiGatewayV2::Integration",
    Condition: "IsHttpApi",
    Properties: {
      ApiId: ref("HttpApi"),
      IntegrationType: "AWS_PROXY",
      IntegrationUri: arnOf("ApiFunction"),
      PayloadFormatVersion: "2.0",
    },
  },
  HttpRoute: route("$default", false),
  ...Object.fromEntries(OPEN.map((key, index) => [`HttpOpenRoute${index + 1}`, route(key, true)])),
  HttpStage: {
    Type: "AWS::ApiGatewayV2::Stage",
    Condition: "IsHttpApi",
    Properties: {
      ApiId: ref("HttpApi"),
      StageName: "$default",
      AutoDeploy: true,
      DefaultRouteSettings: THROTTLE,
    },
  },
};
