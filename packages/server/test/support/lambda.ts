import { dynamoStore } from "@postern/adapter-dynamodb";
import { postern, type Store } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { lambda } from "@postern/test-support/built-server";
import { type LambdaFunction, startLambdaFunction } from "@postern/test-support/lambda-function";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { expect, onTestFinished } from "vitest";
import * as z from "zod";
import { httpApi2 } from "../../../adapter-lambda/test/support/gateways.ts";
import { bearer, claimsWith } from "../../../adapter-lambda/test/support/lambda.ts";
import { environment } from "./environment.ts";
import { expectNoSecrets } from "./no-secrets.ts";

const { PORT: _, ...required } = environment;

/** The store of functions with these variables. It is closed when the test has finished. */
export const openTable = async ({ POSTERN_DYNAMODB_TABLE: table = "" }: Readonly<Record<string, string>>) => {
  const client = (await sharedDynamoDb()).client();
  const onCorruptItem = () => expect.unreachable();
  // The machine may be busy.
  const store = dynamoStore({ client, table, clock: Date, timeoutMs: 30_000, onCorruptItem });
  onTestFinished(store.close);
  return store;
};

/** The operations on a store, as functions with its table have them. */
export const serviceOn = (store: Store) =>
  postern({ store, aliasDomains: ["alias.example.com"], ...testPorts(Date.now()) });

/** The id of a verified recipient that the account gets, as `recipient adopt` adds one. */
export const adoptRecipient = async (
  variables: Readonly<Record<string, string>>,
  account: string,
  name = account,
): Promise<string> => {
  const service = serviceOn(await openTable(variables));
  return valueOf(await service.adoptRecipient({ account, email: `${name}@home.example` })).id;
};

/** Every variable that a function requires, with a new table. */
export const functionEnvironment = async (): Promise<Record<string, string>> => {
  const dynamo = await sharedDynamoDb();
  return {
    ...required,
    POSTERN_STORE: "dynamodb",
    POSTERN_DYNAMODB_ENDPOINT: dynamo.endpoint,
    POSTERN_DYNAMODB_TABLE: await dynamo.newTable(),
    POSTERN_SMTP_URL: "ses://eu-west-1?configuration-set=postern",
    POSTERN_RATE_LIMIT: "0",
    POSTERN_CREATION_LIMIT: "0",
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
  };
};

/** A built function in a process of its own. Ends with the test, which fails if it has written a secret. */
export const startFunction = async (
  handler: "api" | "events" | "inbound" | "outcomes",
  variables: Record<string, string>,
  settings: Partial<Parameters<typeof startLambdaFunction>[0]> = {},
): Promise<LambdaFunction> => {
  const started = await startLambdaFunction({
    folder: lambda,
    handler: `index.${handler}`,
    variables,
    ...settings,
  });
  onTestFinished(async () => expectNoSecrets(await started.stop(), variables));
  return started;
};

const Response = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()).optional(),
  multiValueHeaders: z.record(z.string(), z.array(z.string())).optional(),
  body: z.string(),
  isBase64Encoded: z.boolean(),
});

/** What the function answers to an event of API Gateway. */
export const answerOf = async ({ invoke }: Pick<LambdaFunction, "invoke">, event: unknown) => {
  const invoked = await invoke(event);
  if ("error" in invoked) return expect.unreachable(invoked.error.errorMessage);
  const { headers, multiValueHeaders, ...answer } = Response.parse(invoked.returned);
  return { ...answer, ...(headers && { headers }), ...(multiValueHeaders && { multiValueHeaders }) };
};

/** The response to a request of an account, which an HTTP API with a JWT authorizer has let in. */
export const requestBy = async (
  instance: Pick<LambdaFunction, "invoke">,
  account: string,
  method: string,
  target: string,
  content?: object,
) => {
  const [path = "", query = ""] = target.split("?");
  const claims = claimsWith({ iss: required.POSTERN_ISSUER, aud: required.POSTERN_AUDIENCE, sub: account });
  const headers: [string, string][] = [["authorization", bearer(claims)]];
  if (content !== undefined) headers.push(["content-type", "application/json"]);
  const body = content === undefined ? null : Buffer.from(JSON.stringify(content));
  const event = httpApi2({ method, path, query, headers, body }, { claims });
  const { statusCode, body: text } = await answerOf(instance, event);
  return { status: statusCode, body: z.looseObject({}).parse(text === "" ? {} : JSON.parse(text)) };
};

const Line = z.looseObject({});

/** The lines of a log, parsed. */
export const linesOf = (output: string) =>
  output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Line.parse(JSON.parse(line)));
