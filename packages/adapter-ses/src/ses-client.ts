import { SESv2Client, type SESv2ClientConfig } from "@aws-sdk/client-sesv2";
import { NEW_CONNECTIONS } from "./new-connections.ts";

/**
 * The location of SES, and the credentials to use. Omitted settings are resolved as in AWS's own tools: from the environment, the profile,
 * or the machine's role.
 */
export type SesLocation = Pick<SESv2ClientConfig, "endpoint" | "region" | "credentials">;

/**
 * A client that sends each request so many times at most. Requests have no time limit but that of connecting: their signals end them.
 *
 * Each has a connection of its own: when one that was kept turns out to be closed, nobody knows whether SES got the request.
 */
export const sesClient = (location: SesLocation, maxAttempts: number): SESv2Client => {
  const client = new SESv2Client({
    ...location,
    maxAttempts,
    requestHandler: NEW_CONNECTIONS,
  });
  // Without a logger too, it copies every input and output, to leave out what must not be logged.
  client.middlewareStack.remove("loggerMiddleware");
  return client;
};
