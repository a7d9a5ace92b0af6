import { SESv2Client, type SESv2ClientConfig } from "@aws-sdk/client-sesv2";

/**
 * The location of SES, and the credentials to use. Omitted settings are resolved as in AWS's own tools: from the environment, the profile,
 * or the machine's role.
 */
export type SesLocation = Pick<SESv2ClientConfig, "endpoint" | "region" | "credentials">;

const CONNECTION_TIMEOUT_MS = 2_000;

/**
 * A client that sends each request so many times at most. Requests have no time limit but that of connecting: their signals end them.
 *
 * Each has a connection of its own. One that was kept could have been closed in the meantime, which shows only when it is used again, and
 * then nobody knows whether SES got the request.
 */
export const sesClient = (location: SesLocation, maxAttempts: number): SESv2Client => {
  const client = new SESv2Client({
    ...location,
    maxAttempts,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      httpAgent: { keepAlive: false },
      httpsAgent: { keepAlive: false },
    },
  });
  // Without a logger too, it copies every input and output, to leave out what must not be logged.
  client.middlewareStack.remove("loggerMiddleware");
  return client;
};
