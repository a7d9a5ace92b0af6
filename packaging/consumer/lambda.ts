/* The HTTP API as a Lambda function. */
import { deepStrictEqual } from "node:assert/strict";
import { lambdaHandler } from "@postern/adapter-lambda";
import { memoryStore } from "@postern/adapter-memory";
import { postern } from "@postern/core";
import { testPorts } from "@postern/core/testing";

const handler = lambdaHandler({
  postern: postern({ store: memoryStore(), aliasDomains: ["alias.example"], ...testPorts() }),
  issuer: "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Example",
  audience: "client",
  rateLimit: "gateway",
});

const event = {
  version: "2.0",
  rawPath: "/health",
  rawQueryString: "",
  headers: { host: "api.example" },
  requestContext: { stage: "$default", http: { method: "GET", sourceIp: "192.0.2.1" } },
  isBase64Encoded: false,
};
const context = { awsRequestId: "request-1", getRemainingTimeInMillis: () => 3_000 };
const { statusCode, headers } = await handler(event, context);
deepStrictEqual([statusCode, headers?.["x-request-id"]], [200, "request-1"]);
