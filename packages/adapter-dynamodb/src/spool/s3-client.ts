import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";

/** The location of S3, and the credentials to use. Omitted settings are resolved as in AWS's own tools. */
export type S3Location = Pick<S3ClientConfig, "endpoint" | "region" | "credentials" | "forcePathStyle">;

const CONNECTION_TIMEOUT_MS = 1_000;
const IDLE_TIMEOUT_MS = 2_000;

/**
 * A client for `dynamoSpool`. It makes up to three attempts, and gives up a connection over which nothing has come or gone for two seconds:
 * those from before a freeze of the process are dead.
 *
 * @example
 * ```ts
 * const s3 = s3Client({ region: "eu-central-1" });
 * ```
 */
export const s3Client = (location: S3Location): S3Client => {
  const client = new S3Client({
    ...location,
    requestHandler: { connectionTimeout: CONNECTION_TIMEOUT_MS, socketTimeout: IDLE_TIMEOUT_MS },
  });
  // Without a logger too, it copies every input and output, to leave out what must not be logged.
  client.middlewareStack.remove("loggerMiddleware");
  return client;
};
