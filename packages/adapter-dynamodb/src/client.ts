import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";

/**
 * Where DynamoDB is, and who asks. Whatever is left out is found the way AWS's own tools find it: environment,
 * profile, the machine's role.
 */
export type DynamoLocation = Pick<DynamoDBClientConfig, "endpoint" | "region" | "credentials">;

/** A request that takes longer than this, in milliseconds, is given up; DynamoDB answers most within 10. */
const REQUEST_TIMEOUT = 700;
const CONNECTION_TIMEOUT = 500;

/** Creating and describing tables takes DynamoDB longer. */
const TABLE_TIMEOUT = 10_000;

/**
 * The client for a store, which waits for nothing endlessly. It sends each request once: what to send again, and for how
 * long, is decided in `persist`, which has to know how each attempt ended.
 */
export const dynamoClient = (location: DynamoLocation): DynamoDBClient =>
  new DynamoDBClient({
    ...location,
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT,
      requestTimeout: REQUEST_TIMEOUT,
      throwOnRequestTimeout: true,
      // The request's timeout ends with the head of the answer; this one is for a body that does not come.
      socketTimeout: REQUEST_TIMEOUT,
    },
  });

/** The client for what is done to the table as a whole, by somebody who waits. Sends again as the SDK does, up to three times. */
export const tableClient = (location: DynamoLocation): DynamoDBClient =>
  new DynamoDBClient({
    ...location,
    requestHandler: {
      connectionTimeout: TABLE_TIMEOUT,
      requestTimeout: TABLE_TIMEOUT,
      throwOnRequestTimeout: true,
    },
  });
