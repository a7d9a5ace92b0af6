import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";

/**
 * The location of DynamoDB, and the credentials to use. Omitted settings are resolved as in AWS's own tools: from the
 * environment, the profile, or the machine's role.
 */
export type DynamoLocation = Pick<DynamoDBClientConfig, "endpoint" | "region" | "credentials">;

/** DynamoDB responds to most requests within 10 ms. */
const REQUEST_TIMEOUT_MS = 700;
const CONNECTION_TIMEOUT_MS = 500;

/** Creating and describing tables takes longer; connecting does not. */
const TABLE_TIMEOUT_MS = 10_000;
const TABLE_CONNECTION_TIMEOUT_MS = 2_000;

/**
 * A client for `dynamoStore`: every request times out and is sent only once. The store itself decides what to retry and for
 * how long, because it has to know the outcome of each attempt.
 *
 * @param requestTimeoutMs when a request is aborted, by default after 700 ms. For exports and the like, which nobody waits for,
 * allow several seconds: a busy DynamoDB can take that long for a page of a scan.
 * @example
 * ```ts
 * const client = dynamoClient({ region: "eu-central-1" });
 * ```
 */
export const dynamoClient = (
  location: DynamoLocation,
  requestTimeoutMs = REQUEST_TIMEOUT_MS,
): DynamoDBClient => {
  const client = new DynamoDBClient({
    ...location,
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
      // The request timeout covers the response's headers only; this one covers a body that never arrives.
      socketTimeout: requestTimeoutMs,
    },
  });
  // Without a logger too, it copies every input and output, to leave out what must not be logged.
  client.middlewareStack.remove("loggerMiddleware");
  return client;
};

/** The client for administering the table. Retries as the SDK does, up to three attempts. */
export const tableClient = (location: DynamoLocation): DynamoDBClient =>
  new DynamoDBClient({
    ...location,
    requestHandler: {
      connectionTimeout: TABLE_CONNECTION_TIMEOUT_MS,
      requestTimeout: TABLE_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  });
